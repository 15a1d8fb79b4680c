"""The questions of the page for playing, and their answers. Pure: both are structs.

Nothing is kept between two questions: each names the game from its start, so that a link holds one, and undoing is
asking about fewer moves. docs/api.md describes the JSON.
"""

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
from engine.games.interface import BadMove, Position, moves, play
from engine.levels import MAX_LEVEL
from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from server.ops.typed_json import decode
from server.web.http.errors import BAD_REQUEST, Refused
from server.web.views.board import ending_of, motion, view

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


class ThinkQuestion(Question, frozen=True, kw_only=True):
    """A question for a move of the bot."""

    seconds: Annotated[float, Meta(ge=0.05, le=10.0)] = 1.0
    """Longest time for the move."""
    level: Annotated[int, Meta(ge=1, le=MAX_LEVEL)] = MAX_LEVEL
    """Strength of the bot. Below the highest level it uses only the time that it needs."""


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
    """Return the state of a game and its legal moves; raises the exceptions of `history_of`."""
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
    """Return the rows that can be chosen after a push of GIPF and the choices so far.

    Raises `Refused` and GameError.
    """
    position = history_of(question).position
    if not isinstance(position, GipfPosition):
        raise Refused(BAD_REQUEST, f"no rows are chosen in {position.game.name}, only in gipf")
    found = choosing(position, question.chosen)
    choices = []
    for row in found.crossing:
        move = f"{question.chosen} {row.text}"
        choices.append(Choice(move, row.fields, bool(choosing(position, move).crossing)))
    return {
        "pieces": view(found.position).pieces,
        "taken": tuple(field for row in found.taken for field in row.fields),
        "choices": tuple(choices),
    }


def think(question: ThinkQuestion, engine: GameEngine, stop: Stop) -> dict[str, Any]:
    """Let the bot think about a move, until it is stopped at the latest.

    Raises `Refused` and GameError, OverflowError if there are too many moves to think about.
    """
    history = running_game(question)
    thought = engine.think(history, question.seconds, level=question.level, clock=perf_counter, stop=stop)
    return {
        "move": thought.move(history.position),
        "depth": thought.depth,
        "score": thought.score,
        "plies_to_end": thought.plies_to_end,
        "nodes": thought.nodes,
        "seconds": round(thought.seconds, 3),
        "is_known": thought.is_known,
    }


def history_of(question: Question) -> History:
    """Return the game that a question is about; raises GameError, `Refused` if a move is wrong."""
    game = GAMES.get(question.game)
    if game is None:
        raise Refused(BAD_REQUEST, unknown_game(question.game))
    if question.start:
        history = read_game(game, question.start)
    else:
        parameters = game.default_parameters if question.parameters is None else question.parameters
        history = History.begin(game.start(parameters))
    for move in question.moves:
        try:
            history = history.after(move)
        except BadMove as error:
            raise Refused(BAD_REQUEST, f"move {history.plies + 1}: {error}") from None
    return history


def running_game(question: Question) -> History:
    """Return the game that a question is about; raises `Refused` if it is over, and the exceptions of `history_of`."""
    history = history_of(question)
    outcome = history.verdict(MOVE_LIMIT)
    if outcome is not None:
        raise Refused(BAD_REQUEST, f"the game is over: {outcome.detail}")
    return history


def _gipf_moves(position: GipfPosition) -> list[Legal]:
    return [Legal(push, tuple(push.split("-")), bool(choosing(position, push).crossing)) for push in pushes(position)]


def _arrows_moves(position: ArrowsPosition) -> list[Legal]:
    field = arrows(position.variant, position.moves)[-2].target
    legal = []
    for move in moves(position):
        x, y = target = beyond(field, int(move))
        legal.append(Legal(move, (f"{x},{y}",) if position.variant.has(target) else ()))
    return legal


def _legal(position: Position) -> list[Legal]:
    match position:
        case GipfPosition():
            return _gipf_moves(position)
        case ArrowsPosition():
            return _arrows_moves(position)
        case _:  # each word of a move is a field
            return [Legal(move, tuple(move.split())) for move in moves(position)]
