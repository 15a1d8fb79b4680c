"""Pictures of a game: its last position as SVG or PNG, all positions as an animated GIF.

A game is its first position and the moves since then.
"""

from collections.abc import Sequence
from functools import reduce

from engine.games.boards.board_game import BoardPosition
from engine.games.boards.raster import gif
from engine.games.boards.shapes import Picture, picture
from engine.games.interface import Position, Successor, play

MOST_MOVES = 240
"""Moves that an animation shows, the last ones of a longer game."""

FIRST, EACH, LAST = 1000, 650, 5000
"""Milliseconds for which the first position is seen, each one after it, and the last one."""


class NotDrawn(Exception):
    """A game of which no pictures are made but texts. ``str(error)`` is a sentence that says so."""


def svg(start: Position, moves: Sequence[str], *, night: bool = False) -> str:
    """Return the last position as an SVG document, with the last move marked."""
    position, last = _end(start, moves)
    return position.svg(last, night=night)


def png(start: Position, moves: Sequence[str], *, night: bool = False, scale: int = 1) -> bytes:
    """Return the last position as a PNG file, with the last move marked; raises `NotDrawn`.

    ``scale`` is one of `engine.games.boards.raster.SCALES`; raises ValueError for another one.
    """
    position, last = _end(start, moves)
    return _board(position).png(last, night=night, scale=scale)


def animation(
    start: Position, moves: Sequence[str], players: Sequence[str], ending: str, *, night: bool = False
) -> bytes:
    """Return all positions of a game as an animated GIF, with players and, in the end, a text; raises `NotDrawn`."""
    sides = start.game.sides
    names = " - ".join(f"{player} ({side})" for player, side in zip(players, sides, strict=True))
    skipped = max(0, len(moves) - MOST_MOVES)
    position, last = start, None
    pictures: list[Picture] = []
    for ply, move in enumerate((None, *moves)):
        if move is not None:
            last = position.resolve(move)
            position = last.position
        if ply >= skipped:
            now = f"{ply}. {last.move}" if last else f"{position.game.name} {position.parameters}"
            shown = ending if ply == len(moves) and ending else now
            pictures.append(picture(_board(position).drawing(last), position.summary(), (names, shown)))
    times = [FIRST, *[EACH] * (len(pictures) - 1)]
    times[-1] = LAST
    return gif(pictures, times, night=night)


def _end(start: Position, moves: Sequence[str]) -> tuple[Position, Successor | None]:
    """Return the last position, and the last move with it; raises `engine.games.interface.BadMove`."""
    if not moves:
        return start, None
    last = reduce(play, moves[:-1], start).resolve(moves[-1])
    return last.position, last


def _board(position: Position) -> BoardPosition:  # type: ignore[type-arg]
    if not isinstance(position, BoardPosition):
        raise NotDrawn(f"of {position.game.name} there are no pictures but SVG")
    return position
