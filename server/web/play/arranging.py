"""Positions as pieces that somebody puts on a board: what there is to put there, and what comes of it. Pure.

Positions of arrows arise only from moves. An arrangement of arrows is therefore the beginning of a game.
It has the first arrow of each side, and blocked fields.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, NamedTuple

import msgspec

from engine.games.arrows import board as arrows_board
from engine.games.catalogue import GAMES
from engine.games.gipf import board as gipf_board
from engine.games.gipf.geometry import parse as parse_gipf
from engine.games.gipf.notation import names
from engine.games.gipf.rules import State as GipfState
from engine.games.interface import BadPosition
from engine.games.mnk import board as mnk_board
from engine.games.mnk.rules import State as MnkState
from engine.games.morris import board as morris_board
from engine.games.morris.rules import FIELDS, State as MorrisState
from server.web.play.questions import Question, history_of

MAX_PIECES = 1000
"""Pieces that can be named: more than any board has fields."""

Name = Annotated[str, msgspec.Meta(max_length=8)]
"""The name of a field."""

Side = Annotated[int, msgspec.Meta(ge=0, le=1)]

Count = Annotated[int, msgspec.Meta(ge=0, le=1000)]
"""Number of pieces beside the board."""


class Arrangement(msgspec.Struct, frozen=True, kw_only=True):
    """Pieces on a board."""

    game: str
    parameters: str
    pieces: Annotated[tuple[tuple[Name, Side, int | None], ...], msgspec.Meta(max_length=MAX_PIECES)]
    """Field and side of each, and for arrows where it points."""
    blocked: Annotated[tuple[Name, ...], msgspec.Meta(max_length=MAX_PIECES)] = ()
    turn: Side = 0
    reserves: tuple[Count, Count] = (0, 0)


class _Arranging(NamedTuple):
    """How positions of a game are set up."""

    write: Callable[[Arrangement], str]
    """Writes one as text; raises `engine.games.interface.GameError` where that is not possible."""
    counter: str = ""
    is_start: bool = False


def kit(question: Question) -> dict[str, Any]:
    """Return the pieces that positions of a variant are set up with, as they stand on the board.

    ``counter`` is the name of the count beside the board, as "in reserve", or empty. ``is_start`` tells whether the
    position is the beginning of a game: an arrow for each side, blocked fields, and the first side to move. Raises
    GameError.
    """
    position = history_of(question).position
    arranging = _arranging(position.game.name)
    shown = position.game.start(position.parameters) if arranging.is_start else position
    drawing = shown.drawing()
    found = Arrangement(
        game=position.game.name,
        parameters=position.parameters,
        pieces=drawing.pieces,
        blocked=drawing.blocked,
        turn=shown.turn,
        reserves=shown.reserves,
    )
    return {"arrangement": found, "counter": arranging.counter, "is_start": arranging.is_start}


def arrange(asked: Arrangement) -> dict[str, str]:
    """Return the text of a position made of pieces, and a line about what the board does not show of it.

    Raises GameError if it is no position.
    """
    text = _arranging(asked.game).write(asked)
    position = GAMES[asked.game].read(text)
    return {"start": position.text(), "summary": position.summary()}


def _arranging(game: str) -> _Arranging:
    if game not in _GAMES:
        raise BadPosition("NOT_ARRANGED", f"positions of {game} are not set up here; paste one as text")
    return _GAMES[game]


def _gipf(asked: Arrangement) -> str:
    variant = parse_gipf(asked.parameters)
    white, black = _sets(asked.pieces, names(variant.size).fields)
    return gipf_board.write(variant, GipfState(white, black, *asked.reserves, asked.turn))


def _morris(asked: Arrangement) -> str:
    fields = {str(number): 1 << number for number in range(FIELDS)}
    both = _sets(asked.pieces, fields), asked.reserves
    (own, other), hands = (pair if asked.turn == 0 else pair[::-1] for pair in both)
    return morris_board.write(MorrisState(own, other, *hands, asked.turn))


def _mnk(asked: Arrangement) -> str:
    variant = mnk_board.parse(asked.parameters)
    bits = (1 << place for place in range(variant.rows * variant.columns))
    first, second = _sets(asked.pieces, {mnk_board.name(variant, bit): bit for bit in bits})
    return mnk_board.write(variant, MnkState(first, second, asked.turn))


def _arrows(asked: Arrangement) -> str:
    columns, rows, *_ = arrows_board.parse(asked.parameters)
    fields = {f"{x},{y}": (x, y) for x in range(1, columns + 1) for y in range(1, rows + 1)}
    _check([*(field for field, *_ in asked.pieces), *asked.blocked], fields)
    begins = []
    for side, name in enumerate(arrows_board.SIDES):
        own = [piece for piece in asked.pieces if piece[1] == side]
        if len(own) != 1:
            sentence = f"a game begins with one arrow of each player, but the {name} player has {len(own)}"
            raise BadPosition("WRONG_START", sentence)
        begins += own
    pairs = [
        (columns, rows),
        *(fields[field] for field, *_ in begins),
        (begins[0][2] or 0, begins[1][2] or 0),
        *(fields[field] for field in asked.blocked),
    ]
    return arrows_board.write(arrows_board.build([arrows_board.SetupPair(*pair) for pair in pairs]), ())


def _sets(pieces: Sequence[tuple[str, int, int | None]], fields: Mapping[str, int]) -> tuple[int, int]:
    """Return the fields of the pieces of both sides as sets of bits."""
    _check([field for field, *_ in pieces], fields)
    first, second = (reduce(or_, (fields[field] for field, side, _ in pieces if side == one), 0) for one in (0, 1))
    return first, second


def _check(named: Sequence[str], fields: Mapping[str, object]) -> None:
    """Refuse what is no field, and what is named twice."""
    for field, count in Counter(named).items():
        if field not in fields:
            raise BadPosition("WRONG_BOARD_FIELD", f"{field!r} is no field of this board")
        if count > 1:
            raise BadPosition("WRONG_BOARD_FIELD", f"on {field} can be one thing only, not {count}")


_GAMES: dict[str, _Arranging] = {
    "gipf": _Arranging(_gipf, counter="in reserve"),
    "arrows": _Arranging(_arrows, is_start=True),
    "morris": _Arranging(_morris, counter="in hand"),
    "mnk": _Arranging(_mnk),
}
