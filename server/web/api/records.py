"""Finished matches as JSON, read from their records. Pure: text in, structs out.

What the server has written itself was checked when it was written; a reader who wants to check it again has the record.
"""

import msgspec


class PlayedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is over. Times are milliseconds."""

    match: int
    game: str
    parameters: str
    sides: tuple[str, str]
    """The side that began, and the other."""
    players: tuple[str, str]
    """Who played them."""
    budget: float
    increment: float
    started: str
    """Date and time in UTC, as 2026-11-20T20:15:00.000Z."""
    position: str
    """The first position, in the game's text form."""
    moves: tuple[str, ...]
    left: tuple[float, ...]
    """What the side that moved had left after each move."""
    result: str
    """A side, draw or annulled."""
    reason: str
    sentence: str


MOVE_WORDS, LEFT, RESULT_WORDS = 6, 5, 6
"""Words of a line ``move`` before the move itself, the place of what is left, and words of a ``result`` before its
sentence."""


def played_match(text: str) -> PlayedMatch:
    """Return what a record tells; raises ValueError where it is no whole record of a match."""
    lines = text.splitlines()
    body = next((number for number, line in enumerate(lines) if line == "position"), None)
    if body is None or not lines[-1].startswith("result "):
        raise ValueError("the record has no position or no result")
    heads = [line.partition(" ") for line in lines[:body]]
    head = {name: value for name, _, value in heads}
    seats = [(name, value) for name, _, value in heads[4:6]]  # their names are those of the game's sides
    if len(seats) < 2:
        raise ValueError("the record names no players")
    position = [line[2:] for line in lines[body + 1 :] if line.startswith("| ")]
    moves = [line.split(" ", MOVE_WORDS) for line in lines[body + 1 :] if line.startswith("move ")]
    _, result, reason, _, _, _, *sentence = lines[-1].split(" ", RESULT_WORDS)
    try:
        return PlayedMatch(
            match=int(head["match"]),
            game=head["game"],
            parameters=head["parameters"],
            sides=(seats[0][0], seats[1][0]),
            players=(seats[0][1], seats[1][1]),
            budget=float(head["budget"]),
            increment=float(head["increment"]),
            started=head["started"],
            position="\n".join(position) + "\n",
            moves=tuple(words[MOVE_WORDS] for words in moves),
            left=tuple(float(words[LEFT]) for words in moves),
            result=result,
            reason=reason,
            sentence="".join(sentence),
        )
    except (KeyError, IndexError) as error:
        raise ValueError(f"the record is not whole: {error!r}") from None
