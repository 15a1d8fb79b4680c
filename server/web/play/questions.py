"""The questions of the pages for playing and analysis, their answers, and the review of a match. Pure: all are structs.

Nothing is kept between two questions. Each names the game from its start, so that a link holds one, and undoing is
asking about fewer moves. docs/api.md describes the JSON.
"""

from functools import reduce
from time import perf_counter
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from engine.compiling.binding import can_compile
from engine.games.arrows.board import arrows, beyond
from engine.games.arrows.position import ArrowsPosition
from engine.games.catalogue import GAMES, unknown_game
from engine.games.gipf.position import GipfPosition, play_push, pushes
from engine.games.interface import MOVE_LIMIT, BadMove, History, Position, read_game, write_game
from engine.levels import MAX_LEVEL
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header
from engine.match.review import MoveValue, review
from engine.match.verification import Summary, verify
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import GameEngine, SearchLimits, SearchResult, Stop
from server.ops.typed_json import decode
from server.web.http.request import Refused
from server.web.views.board import ending_of, motion, view

Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=20_000)]
"""Longer than any position, and than a game of a thousand moves."""

Move: TypeAlias = Annotated[str, msgspec.Meta(max_length=400)]
"""Longer than any move that somebody makes: a push and dozens of rows."""


QuestionT = TypeVar("QuestionT", bound=msgspec.Struct)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a game, with all its moves so far."""

    game: str
    parameters: str | None = None
    """The variant; the usual one where it is missing."""
    start: Text = ""
    """In place of the parameters: a position, or a game, as text."""
    moves: Annotated[tuple[Move, ...], msgspec.Meta(max_length=MOVE_LIMIT)] = ()
    chosen: Move = ""
    """For `rows`: the push, and the rows that were chosen so far."""


class ThinkQuestion(Question, frozen=True, kw_only=True):
    """A question for a move of the bot."""

    seconds: Annotated[float, msgspec.Meta(ge=0.05, le=10.0)] = 1.0
    """Longest time for the move."""
    level: Annotated[int, msgspec.Meta(ge=1, le=MAX_LEVEL)] = MAX_LEVEL
    """Strength of the bot. Below the highest level it uses only the time that it needs."""


def read(kind: type[QuestionT], body: bytes) -> QuestionT:
    """Read a question of a kind; raises `Refused`."""
    try:
        return decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"the request cannot be read: {error}") from None
    except RecursionError:
        raise Refused(400, "the request cannot be read: what it holds is nested too deeply") from None


def look(question: Question) -> dict[str, Any]:
    """Return the state of a game and its legal moves; raises the exceptions of `history_of`."""
    history = history_of(question)
    position = history.position
    outcome = history.outcome(MOVE_LIMIT)
    seen = msgspec.structs.replace(view(position), ending=ending_of(outcome, position.game.sides, None, history.plies))
    last = None
    if history.moves:
        last = motion(reduce(Position.play, history.moves[:-1], history.start), history.moves[-1])
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
        raise Refused(400, f"no rows are chosen in {position.game.name}, only in gipf")
    found = play_push(position, question.chosen)
    choices = []
    for row in found.crossing:
        move = f"{question.chosen} {row.text}"
        side = 0 if row.text.startswith("w") else 1
        choices.append(
            {"move": move, "fields": row.fields, "side": side, "more": bool(play_push(position, move).crossing)}
        )
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
        raise Refused(400, unknown_game(question.game))
    if question.start:
        history = read_game(game, question.start)
    else:
        parameters = game.default_parameters if question.parameters is None else question.parameters
        history = History.begin(game.start(parameters))
    for move in question.moves:
        try:
            history = history.after(move)
        except BadMove as error:
            raise Refused(400, f"move {history.plies + 1}: {error}") from None
    return history


def running_game(question: Question) -> History:
    """Return the game that a question is about; raises `Refused` if it is over, and the exceptions of `history_of`."""
    history = history_of(question)
    outcome = history.outcome(MOVE_LIMIT)
    if outcome is not None:
        raise Refused(400, f"the game is over: {outcome.detail}")
    return history


def _legal(position: Position) -> list[dict[str, Any]]:
    """Return the moves that may be made.

    ``points`` are the places to point at, one after the other: fields, or a dot and a field. They are empty for a move
    off the board. ``more`` tells whether rows cross after the push, so that `rows` has to be asked.
    """
    match position:
        case GipfPosition():
            return [
                {"move": push, "points": push.split("-"), "more": bool(play_push(position, push).crossing)}
                for push in pushes(position)
            ]
        case ArrowsPosition():
            field = arrows(position.variant, position.moves)[-2].target
            targets = {move: beyond(field, int(move)) for move in position.legal_moves}
            return [
                {"move": move, "points": [f"{x},{y}"] if position.variant.has((x, y)) else [], "more": False}
                for move, (x, y) in targets.items()
            ]
        case _:  # each word of a move is a field
            return [{"move": move, "points": move.split(), "more": False} for move in position.legal_moves]


MAX_SHOWN = 24
"""Moves of a line that are told."""

MAX_TEXT = 50_000
"""Characters of a pasted text: a record of some hundred moves has fewer."""

PLAYER, BUDGET_MS = "analysis", 1000
"""The name of both players in a record of an analysis, and the budget of their clocks, of which nothing is used."""

RECORD = "arena-record "
"""Start of every record."""

PART_MOVES = 24
"""Moves in a part."""

COMPILED_REVIEW_NODES, INTERPRETED_REVIEW_NODES = 20_000, 300
"""For each position, where the search is compiled and where it is not."""


class Thinking(Question, frozen=True, kw_only=True):
    """A question about the best moves."""

    seconds: Annotated[float, msgspec.Meta(ge=0.05, le=4.0)] = 1.0
    """Longest time for an answer; a page asks again for a deeper search."""
    lines: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3


class Pasted(msgspec.Struct, frozen=True, kw_only=True):
    """A text of a game, or the record of a match."""

    game: str
    """The game of a text that is no record."""
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]


def lines(question: Thinking, engine: GameEngine, stop: Stop) -> dict[str, Any]:
    """Find the best moves, within the time asked for.

    Raises `Refused` and GameError, OverflowError if there are too many moves to think about.
    """
    history = running_game(question)
    began = perf_counter()
    found = best(history, SearchLimits(hard_ms=question.seconds * 1000, lines=question.lines), engine, stop)
    is_known = bool(found) and found[0].is_known
    is_whole = is_known or len(found) == question.lines
    return {
        "lines": tuple(_line(history, result) for result in found),
        "nodes": max((result.nodes for result in found), default=0),
        "seconds": round(perf_counter() - began, 3),
        "is_known": is_known,
        "is_final": is_whole and all(_is_final(result) for result in found),
    }


def best(history: History, limits: SearchLimits, engine: GameEngine, stop: Stop) -> list[SearchResult]:
    """Return as many of the best moves as the limits say, the best one first; fewer if the time was too short.

    The moves of a search may be of two depths: if the last depth was cut off, there are moves of the depth before, too.
    A position that stood on the board before counts as a draw.
    """
    position = history.position
    searcher = engine.searcher(position)
    earlier = engine.earlier(history)
    if engine.tablebase is not None:
        known = engine.tablebase.results(position, limits.lines, earlier)
        if known:
            return known
    depths: dict[int, list[SearchResult]] = {}

    def keep(result: SearchResult) -> None:
        depths.setdefault(result.depth, []).append(result)

    thought = searcher.think(position, earlier, limits, clock=perf_counter, report=keep, stop=stop)
    found: dict[int, SearchResult] = {}
    for depth in sorted(depths, reverse=True):
        for result in depths[depth]:
            found.setdefault(result.line[0], result._replace(nodes=thought.nodes))
    return sorted(found.values(), key=_value, reverse=True)[: limits.lines]


def _value(result: SearchResult) -> int:
    """Return the score of a search that has found one."""
    assert result.score is not None
    return result.score


def opened(pasted: Pasted) -> dict[str, Any]:
    """Return the game, the first position and the moves of a pasted text; raises GameError and BadRecord."""
    if pasted.text.lstrip().startswith(RECORD):
        history = verify("\n".join(pasted.text.splitlines()).strip() + "\n").history
    else:
        history = history_of(Question(game=pasted.game, start=pasted.text))
    return {"game": history.position.game.name, "start": history.start.text(), "moves": history.moves}


def record(question: Question, started: str) -> dict[str, str]:
    """Write a game as the record of match 0, which has a result where the moves end the game; raises `Refused`.

    ``started`` is a date and time in UTC, as 2026-11-20T20:15:00.000Z.
    """
    history = history_of(question)
    control = TimeControl.of_milliseconds(BUDGET_MS, 0)
    header = Header(0, history.start, (PLAYER, PLAYER), control, MOVE_LIMIT, f"gipf-arena/{PLAYER}", started)
    state, lines = referee.begin(header), [header.text()]

    def take(step: referee.Step) -> referee.MatchState:
        lines.extend(referee.lines_of(step[1]))
        return step[0]

    for side in (0, 1):
        state = take(referee.ready(state, side, 0))
    for move in history.moves:
        state = referee.start_turn(state, 0)
        state = take(referee.move(state, state.history.position.turn, move, 0))
    return {"record": "".join(lines)}


def _line(history: History, result: SearchResult) -> dict[str, Any]:
    """Return a line with figures for the side that began the game; ``win`` is the number of plies to a forced end."""
    sign = 1 if history.position.turn == 0 else -1
    moves = tuple(result._replace(line=result.line[:MAX_SHOWN]).pv(history.position))
    plies = result.plies_to_end
    win = None if plies is None else sign * plies
    return {"moves": moves, "score": sign * _value(result), "depth": result.depth, "win": win}


def _is_final(result: SearchResult) -> bool:
    plies = result.plies_to_end
    return result.is_known or result.depth >= MAX_DEPTH or (plies is not None and abs(plies) <= result.depth)


def review_part(summary: Summary, before: int) -> dict[str, Any]:
    """Review the last `PART_MOVES` moves of a record before that of a number, from 1."""
    stop = max(1, min(before, summary.history.plies + 1))
    first = max(1, stop - PART_MOVES)
    nodes = COMPILED_REVIEW_NODES if can_compile() else INTERPRETED_REVIEW_NODES
    moves = review(summary, nodes, clock=perf_counter, among=range(first, stop))
    reviewed = [
        {
            "ply": move.ply,
            "best": move.best,
            "worth": _known(move.worth),
            "best_worth": _known(move.best_worth),
            "line": move.line,
            "loss": move.loss,
            "marks": [mark.value for mark in move.marks],
        }
        for move in moves
    ]
    return {"first": first, "nodes": nodes, "moves": reviewed}


def _known(worth: MoveValue | None) -> dict[str, int] | None:
    """Return the fields that are known; a depth of 0 says that the rules, the solver or a tablebase have told."""
    if worth is None:
        return None
    known = {name: value for name, value in worth._asdict().items() if value is not None}
    return known if worth.depth else {name: value for name, value in known.items() if name != "depth"}
