"""How games end, in words: reasons as nouns, and headlines that name the loser's fault."""

from engine.games.interface import ANNULLED, ENDED_PROGRAM, Termination

REASONS = {
    "no_reserve": "no piece left to play",
    "dead_lock": "dead lock",
    "off_board": "next field off the board",
    "occupied": "next field occupied",
    "blocked": "next field blocked",
    "taken": "next field taken",
    "too_few_pieces": "too few pieces",
    "no_move": "no move left",
    "line": "a line",
    "board_full": "board full",
    "repetition": "third repetition",
    "no_progress": "no progress",
    "move_limit": "move limit",
    "time": "time",
    "bad_move": "illegal move",
    "resign": "resignation",
    "adjudicated": "adjudicated",
    "organiser": "organiser",
    "server_stop": "server stopped",
    "server_fault": "server fault",
}
"""Reasons of ends as nouns, for lists to choose from. A game may add others, which are written as they are."""

_FAULTS = {
    "no_reserve": "has no piece left to play",
    "dead_lock": "cannot move: every line is full",
    "off_board": "has to play off the board",
    "occupied": "has to play on an occupied field",
    "blocked": "has to play on a blocked field",
    "taken": "has to play on a taken field",
    "too_few_pieces": "has too few pieces",
    "no_move": "has no move left",
    "time": "ran out of time",
    "bad_move": "made an illegal move",
    "resign": "resigned",
    "crashed": "crashed",
    "out_of_memory": "used too much memory",
    "too_many_processes": "had too many processes",
    "out_of_cpu_time": "used too much processor time",
    "file_too_large": "wrote too large a file",
    "forfeit": "was disqualified",
    "absent": "did not come",
    "withdrawn": "was withdrawn",
    "not_started": "could not be started",
    "ended_at_start": "ended at its start",
    "no_answer": "gave no answer",
}
"""Predicates of losers: how a game ended by the fault, or in the position, of the side that lost."""

_DURING_PLAY = frozenset({Termination.TIME, Termination.BAD_MOVE, Termination.RESIGN, *ENDED_PROGRAM})
"""Terminations that come while somebody thinks about a move, whose number is said with them."""


def reason_text(word: str) -> str:
    """Return the reason of an end as a noun; several reasons stand between plus signs."""
    return " and ".join(REASONS.get(part, part.replace("_", " ")) for part in word.split("+"))


def how_ended(players: tuple[str, str], winner: int | None, reason: str, plies: int | None) -> str:
    """Say how a game ended, by the fault of the loser where there is one: ``eve crashed at move 18``.

    ``plies`` is the number of moves that were made; None if it is not known.
    """
    at = f" at move {plies + 1}" if plies and reason in _DURING_PLAY else ""
    faults = [_FAULTS[part] for part in reason.split("+") if part in _FAULTS]
    if winner is not None:
        if faults:
            return f"{players[1 - winner]} {faults[0]}{at}"
        return f"{players[winner]} wins: {reason_text(reason)}"
    if len(faults) == 2:  # each side in its own way
        return f"{players[0]} {faults[0]}, and {players[1]} {faults[1]}"
    if faults:
        verb, _, rest = faults[0].partition(" ")
        return " ".join(filter(None, ("both", {"has": "have", "was": "were"}.get(verb, verb), rest))) + at
    return f"{'annulled' if reason in ANNULLED else 'draw'}: {reason_text(reason)}"


def headline(players: tuple[str, str], winner: int | None, reason: str, plies: int | None) -> str:
    """Say how a game ended and who won: ``eve crashed at move 18; carla wins``."""
    ended = how_ended(players, winner, reason, plies)
    if winner is None:
        return ended[0].upper() + ended[1:]
    return f"{ended}; {players[winner]} wins" if reason in _FAULTS else ended
