"""The answers of a bot in a replayed match as text and as JSON."""

from collections import Counter
from collections.abc import Sequence

from bots.workbench.replay.answers import Compared, Outcome
from bots.workbench.replay.turns import Turn
from engine.commands import reports
from engine.record import Summary
from engine.wire.notes import write_note
from engine.wire.words import number_of

TITLES = f"{'ply':>4} {'clock':>10}  {'record':20} {'bot':20} {'took':>10}"


def lines(compared: Compared) -> list[str]:
    """Return a turn: its clock and the bot's time in seconds, the move of the record and the bot's; and its notes."""
    turn = compared.turn
    left = turn.milliseconds[turn.side] / 1000
    words = f"{turn.ply:4} {left:10.3f}  {_recorded(turn):20} {compared.move or '-':20} {compared.seconds:10.3f}"
    more = f": {compared.failure}" if compared.failure else ""
    if compared.outcome == Outcome.SAME and compared.move not in ("", turn.recorded):
        more = " position"
    return [f"{words}  {compared.outcome}{more}", *(f"{'':6}note: {note}" for note in compared.notes)]


def closing(name: str, summary: Summary, side: int, answers: Sequence[Compared]) -> str:
    """Return how many turns were answered in which way, and how long that took."""
    count = Counter(compared.outcome for compared in answers)
    parts = [f"{count[Outcome.SAME]} the same", f"{count[Outcome.DIFFERENT]} different"]
    if count[Outcome.NEW]:
        parts.append(f"{count[Outcome.NEW]} where the record has no move")
    if count[Outcome.FAILED]:
        parts.append(f"{count[Outcome.FAILED]} failed")
    slowest = max(answers, key=lambda compared: compared.seconds)
    seconds = sum(compared.seconds for compared in answers)
    times = f"{seconds:.3f} s, of which {slowest.seconds:.3f} at ply {slowest.turn.ply}"
    sides = summary.header.position.game.sides
    return f"{name} as {sides[side]}: {number_of(len(answers), 'turn')}, {', '.join(parts)}; {times}"


def as_json(name: str, summary: Summary, side: int, answers: Sequence[Compared]) -> str:
    """Return all turns and answers."""
    header = summary.header
    count = Counter(compared.outcome for compared in answers)
    return reports.as_json(
        {
            "report": "replay",
            "match": header.match,
            "game": header.position.game.name,
            "params": header.position.parameters,
            "bot": name,
            "side": header.position.game.sides[side],
            "player": header.players[side],
            **{outcome.name.lower(): count[outcome] for outcome in Outcome},
            "turns": [_plain(compared) for compared in answers],
        }
    )


def _recorded(turn: Turn) -> str:
    """Return the move of the record; what is no legal move, in brackets."""
    if not turn.ending:
        return turn.recorded
    return f"({turn.recorded}: {turn.ending})" if turn.recorded else f"({turn.ending})"


def _plain(compared: Compared) -> dict[str, object]:
    turn = compared.turn
    left = turn.milliseconds
    return {
        "ply": turn.ply,
        "clock_ms": left[turn.side],
        "opponents_clock_ms": left[1 - turn.side],
        "record": turn.recorded or None,
        "ending": turn.ending or None,
        "move": compared.move or None,
        "outcome": compared.outcome.name.lower(),
        "failure": compared.failure or None,
        "seconds": round(compared.seconds, 6),
        "notes": [write_note(note._replace(ply=None)) for note in compared.notes],
    }
