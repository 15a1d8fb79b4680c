"""The questions of the page for playing, and their answers. Pure: both are structs.

Nothing is kept between two questions: each names the game from its start, so that a link holds one, and undoing is
asking about fewer moves. docs/api.md describes the JSON.
"""

from collections.abc import Callable
from functools import reduce
from time import perf_counter
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from engine.games.arrows.board import arrows, beyond
from engine.games.arrows.position import ArrowsPosition
from engine.games.catalogue import GAMES, unknown_game
from engine.games.gipf.position import GipfPosition, choosing, pushes
from engine.games.history import MOVE_LIMIT, History, read_game, write_game
from engine.games.interface import BadMove, Game, GameError, Position, moves, play
from engine.games.mnk.position import MnkPosition
from engine.games.morris.position import MorrisPosition
from engine.levels import MAX_LEVEL
from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from server.ops.typed_json import decode
from server.web.http.errors import BAD_REQUEST, Refused
from server.web.views.board import ending_of, motion, view

MIN_SECONDS, MAX_SECONDS = 0.05, 10.0
"""How long a bot may think about a move."""

Text: TypeAlias = Annotated[str, Meta(max_length=20_000)]
"""Longer than any position, and than a game of a thousand moves."""

Move: TypeAlias = Annotated[str, Meta(max_length=400)]
"""Longer than any move that somebody makes: a push and dozens of rows."""


QuestionT = TypeVar("QuestionT", bound=msgspec.Struct)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a game, with all its moves so far."""

    game: str
    parameters: str | None = None
    """The variant; the usual one where it is missing."""
    start: Text = ""
    """In place of the parameters: a position, or a game, as text."""
    moves: Annotated[tuple[Move, ...], Meta(max_length=MOVE_LIMIT)] = ()
    chosen: Move = ""
    """For `rows`: the push, and the rows that were chosen so far."""
    seconds: float = 1.0
    """For `think`."""
    level: int = MAX_LEVEL
    """For `think`: the strength of the bot. Below the highest one it takes no longer than it needs."""


class Legal(msgspec.Struct, frozen=True):
    """A move that may be made, or the push that it begins with."""

    move: str
    points: tuple[str, ...]
    """What to point at, one after the other: fields, or a dot and a field. Empty where no place stands for it."""
    more: bool = False
    """Whether rows cross after it, of which one has to be chosen: `rows` tells which."""


class Choice(msgspec.Struct, frozen=True):
    """A row that may be taken."""

    move: str
    """The move as far as it is chosen with this row."""
    fields: tuple[str, ...]
    more: bool
    """Whether another row has to be chosen then."""


def read(kind: type[QuestionT], body: bytes) -> QuestionT:
    """Read a question of a kind; raises `Refused`."""
    try:
        return decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(BAD_REQUEST, f"the request cannot be read: {error}") from None
    except RecursionError:
        raise Refused(BAD_REQUEST, "the request cannot be read: what it holds is nested too deeply") from None


def look(question: Question) -> dict[str, Any]:
    """Tell how a game stands and what can be played; raises `Refused`."""
    history = history_of(question)
    position = history.position
    outcome = history.verdict(MOVE_LIMIT)
    seen = msgspec.structs.replace(view(position), ending=ending_of(outcome, position.game.sides))
    last = None
    if history.moves:
        last = motion(reduce(play, history.moves[:-1], history.start), history.moves[-1])
    return {
        "parameters": position.parameters,
        "warning": position.game.warning(position.parameters),
        "start": history.start.text(),
        "moves": history.moves,
        "text": write_game(history),
        "view": seen,
        "motion": last,
        "legal": () if outcome else tuple(_legal(position)),
    }


def rows(question: Question) -> dict[str, Any]:
    """Tell which rows can be chosen after a push of GIPF and the choices so far; raises `Refused`."""
    position = history_of(question).position
    if not isinstance(position, GipfPosition):
        raise Refused(BAD_REQUEST, f"no rows are chosen in {position.game.name}, only in gipf")
    try:
        found = choosing(position, question.chosen)
    except BadMove as error:
        raise Refused(BAD_REQUEST, str(error)) from None
    choices = []
    for row in found.crossing:
        move = f"{question.chosen} {row.text}"
        choices.append(Choice(move, row.fields, bool(choosing(position, move).crossing)))
    return {
        "pieces": view(found.position).pieces,
        "taken": tuple(field for row in found.taken for field in row.fields),
        "choices": tuple(choices),
    }


def think(question: Question, game_engine: GameEngine, stop: Stop) -> dict[str, Any]:
    """Let the bot think about a move, until it is stopped at the latest; raises `Refused`."""
    if not MIN_SECONDS <= question.seconds <= MAX_SECONDS:
        bounds = f"{MIN_SECONDS:g} to {MAX_SECONDS:g}"
        raise Refused(BAD_REQUEST, f"a bot thinks for {bounds} seconds about a move, not for {question.seconds:g}")
    if not 1 <= question.level <= MAX_LEVEL:
        sentence = f"the level is {question.level}, but it has to be a whole number from 1 to {MAX_LEVEL}"
        raise Refused(BAD_REQUEST, sentence)
    history = running_game(question)
    try:
        thought = game_engine.think(history, question.seconds, level=question.level, clock=perf_counter, stop=stop)
        move = thought.move(history.position)
    except OverflowError:
        raise Refused(BAD_REQUEST, "rows can be taken in too many ways here for the bot to think about them") from None
    return {
        "move": move,
        "depth": thought.depth,
        "score": thought.score,
        "plies_to_end": thought.plies_to_end,
        "nodes": thought.nodes,
        "seconds": round(thought.seconds, 3),
        "is_known": thought.is_known,
    }


def history_of(question: Question) -> History:
    """Return the game that a question is about; raises `Refused`."""
    game = GAMES.get(question.game)
    if game is None:
        raise Refused(BAD_REQUEST, unknown_game(question.game))
    history = _begun(game, question)
    for move in question.moves:
        try:
            history = history.after(move)
        except BadMove as error:
            raise Refused(BAD_REQUEST, f"move {history.plies + 1}: {error}") from None
    return history


def running_game(question: Question) -> History:
    """Return the game that a question is about; raises `Refused`, also where it is over."""
    history = history_of(question)
    outcome = history.verdict(MOVE_LIMIT)
    if outcome is not None:
        raise Refused(BAD_REQUEST, f"the game is over: {outcome.detail}")
    return history


def _begun(game: Game, question: Question) -> History:
    try:
        if question.start:
            return read_game(game, question.start)
        parameters = game.default_parameters if question.parameters is None else question.parameters
        return History.begin(game.start(parameters))
    except GameError as error:
        raise Refused(BAD_REQUEST, str(error)) from None


def _gipf_moves(position: GipfPosition) -> list[Legal]:
    return [Legal(push, tuple(push.split("-")), bool(choosing(position, push).crossing)) for push in pushes(position)]


def _arrows_moves(position: ArrowsPosition) -> list[Legal]:
    field = arrows(position.variant, position.moves)[-2].target
    legal = []
    for move in moves(position):
        x, y = target = beyond(field, int(move))
        legal.append(Legal(move, (f"{x},{y}",) if position.variant.has(target) else ()))
    return legal


def _worded_moves(position: Position) -> list[Legal]:
    """Return moves of which each word is a field."""
    return [Legal(move, tuple(move.split())) for move in moves(position)]


_MOVES: dict[type, Callable[..., list[Legal]]] = {
    GipfPosition: _gipf_moves,
    ArrowsPosition: _arrows_moves,
    MorrisPosition: _worded_moves,
    MnkPosition: _worded_moves,
}


def _legal(position: Position) -> list[Legal]:
    known = _MOVES.get(type(position))
    return known(position) if known else [Legal(move, ()) for move in moves(position)]
