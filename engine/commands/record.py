"""``arena-engine record``: replays the record of a match, and verifies every move, every clock and the result."""

from typing import Annotated

from cyclopts import Parameter

from engine import record
from engine.commands.inputs import Rejected, answer, place_of, text_of
from engine.history import History


def replay(file: Annotated[str, Parameter(allow_leading_hyphen=True)], /, *, verify: bool = False) -> None:
    """Replay the record of a match: its moves with the board at the end, and whether all of it is true.

    Parameters
    ----------
    file
        The record; - is standard input.
    verify
        Print only whether it is true.
    """
    try:
        summary = record.verify(text_of(file))
    except record.BadRecord as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    if not verify:
        _show(summary)
    left = " and ".join(f"{record.milliseconds(time)} ms" for time in summary.left)
    ended = f"{summary.result} {summary.reason}" if summary.result else "not ended"
    answer(f"verified match {summary.header.match}: {ended}, {summary.history.plies} moves, {left} left")


def _show(summary: record.Summary) -> None:
    """Print who played what, the moves, and the board after the last one."""
    header = summary.header
    game = header.position.game
    first, second = (f"{name} ({side})" for name, side in zip(header.players, game.sides, strict=True))
    answer(f"{game.name} {header.position.parameters}: {first} against {second}, {header.started}")
    history = History.begin(header.position)
    for move in summary.history.moves:
        side = game.sides[history.position.turn]
        history = history.after(move)
        answer(f"{history.plies:4} {side} {move}")
    answer(history.position.picture())
    answer(history.position.summary())
    if summary.sentence:
        answer(summary.sentence)
