"""Positions and moves as plain data that a page can draw. Pure: from the engine's values to structs for JSON.

The page knows no rules: all that it draws, every piece that slides and every one that is taken, is told here.
docs/api.md describes the JSON.
"""

from typing import Any

import msgspec

from engine.games.boards.layout import Layout, Piece, Stock
from engine.games.boards.svg import board
from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.kernel import bind
from engine.games.gipf.notation import names
from engine.games.gipf.position import GipfPosition, choosing
from engine.games.interface import Position
from engine.games.outcome import Outcome


class Ending(msgspec.Struct, frozen=True):
    """How a game ended."""

    winner: int | None
    result: str
    """A side's name, draw or annulled."""
    reason: str
    sentence: str


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A position."""

    game: str
    parameters: str
    sides: tuple[str, str]
    turn: int
    text: str
    """The game's text form."""
    summary: str
    ending: Ending | None
    layout: Layout
    svg: str
    """The empty board as `engine.games.boards.svg.board` draws it."""
    pieces: tuple[Piece, ...] = ()
    stock: tuple[Stock, Stock] | None = None
    blocked: tuple[str, ...] = ()
    """Fields on which nothing can be placed."""
    aims: tuple[str | None, str | None] = (None, None)
    """The field that a side has to play to next, where the game says so and it lies on the board."""
    decisive: tuple[str, ...] = ()
    """What has decided a game that is over: the fields of the winner's line, or the arrow that points nowhere."""
    last: str | None = None
    """The field of the last move, where it is told with the position."""


class Motion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a move does to the board, in this order: pieces slide, one is laid down, rows light up and are taken.

    What is left out of the JSON is empty.
    """

    move: str
    side: int
    slides: tuple[tuple[str, str], ...] = ()
    """From where to where each piece that stood on the board goes."""
    placed: str | None = None
    """The field that gets a piece from outside."""
    source: str | None = None
    """The dot from which that piece is pushed."""
    taken: tuple[str, ...] = ()
    """Fields whose pieces leave the board afterwards."""
    returned: tuple[str, ...] = ()
    """Those of them whose pieces go back to their own side's reserve; the others are captured."""
    target: str | None = None
    """The field to mark as the last move's."""


def ending_of(outcome: Outcome | None, sides: tuple[str, str]) -> Ending | None:
    """Return an outcome as a page shows it."""
    if outcome is None:
        return None
    return Ending(outcome.winner, outcome.result(sides), str(outcome.termination), outcome.detail)


def view(position: Position) -> View:
    """Return what a page draws of a position."""
    game, drawing = position.game, position.drawing()
    return View(
        game=game.name,
        parameters=position.parameters,
        sides=game.sides,
        turn=position.turn,
        text=position.text(),
        summary=position.summary(),
        ending=ending_of(position.verdict(), game.sides),
        layout=drawing.layout,
        svg=board(drawing),
        pieces=drawing.pieces,
        stock=drawing.stock,
        blocked=drawing.blocked,
        aims=drawing.aims,
        decisive=drawing.decisive,
    )


def motion(before: Position, move: str) -> Motion:
    """Return the effect of a move on the board; raises `engine.games.interface.BadMove`."""
    text, after = before.resolve(move)
    field, words = after.marked_field(text), text.split()
    made = Motion(move=text, side=before.turn, target=field)
    if isinstance(before, GipfPosition) and isinstance(after, GipfPosition):
        return msgspec.structs.replace(made, **_gipf_motion(before, text, after))
    # each word of a longer move is a field: the field of the piece that moves, its goal, the fields of taken pieces
    if len(words) > 1 and words[0] != field:
        return msgspec.structs.replace(made, slides=((words[0], words[1]),), taken=tuple(words[2:]))
    return msgspec.structs.replace(made, placed=field, taken=tuple(words[1:]))


def _gipf_motion(before: GipfPosition, text: str, after: GipfPosition) -> dict[str, Any]:
    size = before.variant.size
    known = names(size)
    number = known.pushes[text.partition(" ")[0]]
    entry = geometry(size).entries[number]
    name_at = known.by_place
    down, right = (entry.target[i] - entry.dot[i] for i in (0, 1))
    occupied = before.state.white | before.state.black
    row, column = entry.target
    slides = []
    while is_field(size, row, column) and occupied & known.fields[name_at[row, column]]:
        follower = row + down, column + right
        slides.append((name_at[row, column], name_at[follower]))
        row, column = follower
    pushed = bind(size, before.variant.run).after_push(before.state, number)
    left = (pushed.white | pushed.black) & ~(after.state.white | after.state.black)
    returned: list[str] = []
    for collected in choosing(before, text).taken if left else ():
        own = pushed.white if collected.text.startswith("w") else pushed.black
        returned += (name for name in collected.fields if known.fields[name] & own)
    placed = name_at[entry.target]
    return {
        "slides": tuple(slides),
        "placed": placed,
        "source": name_at[entry.dot],
        "taken": tuple(name for name, bit in known.fields.items() if left & bit),
        "returned": tuple(returned),
    }
