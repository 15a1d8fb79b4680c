"""The questions of the board to think on, and their answers. Pure: both are structs.

They name a game as those of the page for playing do (`server.web.play.questions`). docs/api.md describes the JSON.
"""

from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from engine.games.history import MOVE_LIMIT, History
from engine.games.interface import GameError, Position
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.reader import BadRecord
from engine.match.record import Header
from engine.match.verification import verify
from engine.search.game_engine import GameEngine
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import SearchLimits, SearchResult, Stop
from engine.solve.tablebase import Tablebase
from server.web.http.errors import BAD_REQUEST, Refused
from server.web.play.arranging import Arrangement, Kit, arranged, kit_of
from server.web.play.questions import Question, history_of, running_game

MIN_SECONDS, MAX_SECONDS = 0.05, 4.0
"""How long one answer may take to think about; a page that wants to know more asks again."""

MAX_LINES = 10
"""Moves that are looked at, each with its line."""

MAX_SHOWN = 24
"""Moves of a line that are told."""

MAX_TEXT = 50_000
"""Characters of a pasted text: a record of some hundred moves has fewer."""

PLAYER, BUDGET_MS = "analysis", 1000
"""The name of both players in a record of an analysis, and the budget of their clocks, of which nothing is used."""

RECORD = "arena-record "
"""Start of every record."""


class Analyst:
    """Thinks about games of any variant, one at a time. What it found serves as long as the variant stays the same."""

    def __init__(self, megabytes: float, tablebase_of: Callable[[Position], Tablebase | None]) -> None:
        """Take the size of the table of a search, and what knows the tablebase of a variant."""
        self._engine = GameEngine(megabytes, tablebase_of)

    def best(
        self, history: History, limits: SearchLimits, *, clock: Callable[[], float], stop: Stop
    ) -> list[SearchResult]:
        """Return as many of the best moves as the limits say, the best one first; fewer where the time was too short.

        Those of a search may be of two depths: where the last one was cut off, moves follow that the one before has
        found. A position that stood on the board before counts as a draw. Raises ValueError for a game that is over
        on the board, OverflowError where there are too many moves to think about.
        """
        position = history.position
        searcher = self._engine.searcher(position)
        earlier = self._engine.earlier(history)
        tablebase = self._engine.tablebase
        if tablebase is not None and (known := tablebase.results(position, limits.lines, earlier)):
            return known
        depths: dict[int, list[SearchResult]] = {}
        thought = searcher.think(
            position,
            earlier,
            limits,
            clock=clock,
            report=lambda result: depths.setdefault(result.depth, []).append(result),
            stop=stop,
        )
        found: dict[int, SearchResult] = {}
        for depth in sorted(depths, reverse=True):
            for result in depths[depth]:
                found.setdefault(result.line[0], result._replace(nodes=thought.nodes))
        return list(found.values())[: limits.lines]


class Thinking(Question, frozen=True, kw_only=True):
    """A question about the best moves."""

    lines: int = 3


class Line(msgspec.Struct, frozen=True):
    """A move and what follows; figures are for the side that began the game."""

    moves: tuple[str, ...]
    """In canonical text."""
    score: int
    """A piece of GIPF is worth 100."""
    depth: int
    win: int | None
    """Plies to a forced end: above 0 the side that began wins, below it loses."""


class Pasted(msgspec.Struct, frozen=True, kw_only=True):
    """A text of a game, or the record of a match."""

    game: str
    """The game of a text that is no record."""
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a text holds."""

    game: str
    start: str
    """The position in which it begins."""
    moves: tuple[str, ...]


def lines(question: Thinking, analyst: Analyst, stop: Stop) -> dict[str, Any]:
    """Find the best moves, within the time asked for; raises `Refused`."""
    if not MIN_SECONDS <= question.seconds <= MAX_SECONDS:
        bounds = f"{MIN_SECONDS:g} to {MAX_SECONDS:g}"
        sentence = f"an answer takes {bounds} seconds, not {question.seconds:g}; ask again to know more"
        raise Refused(BAD_REQUEST, sentence)
    if not 1 <= question.lines <= MAX_LINES:
        raise Refused(BAD_REQUEST, f"lines is {question.lines}, but it has to be 1 to {MAX_LINES}")
    history = running_game(question)
    began = perf_counter()
    limits = SearchLimits(hard_ms=question.seconds * 1000, lines=question.lines)
    try:
        found = analyst.best(history, limits, clock=perf_counter, stop=stop)
    except OverflowError:
        sentence = "rows can be taken in too many ways here for the engine to think about them"
        raise Refused(BAD_REQUEST, sentence) from None
    return {
        "lines": tuple(_line(history, result) for result in found),
        "nodes": max((result.nodes for result in found), default=0),
        "seconds": round(perf_counter() - began, 3),
        "is_known": bool(found) and found[0].is_known,
        "is_final": all(_is_final(result) for result in found) and len(found) == _most_lines(history, question.lines),
    }


def opened(pasted: Pasted) -> Found:
    """Read a pasted text; raises `Refused`."""
    if pasted.text.lstrip().startswith(RECORD):
        try:
            history = verify("\n".join(pasted.text.splitlines()).strip() + "\n").history
        except BadRecord as error:
            raise Refused(BAD_REQUEST, f"this is no true record: {error}") from None
    else:
        history = history_of(Question(game=pasted.game, start=pasted.text))
    game = history.position.game.name
    return Found(game=game, start=history.start.text(), moves=history.moves)


def kit(question: Question) -> Kit:
    """Tell what positions of a variant are set up with, filled in as the board stands; raises `Refused`."""
    try:
        return kit_of(history_of(question).position)
    except GameError as error:
        raise Refused(BAD_REQUEST, str(error)) from None


def arrange(asked: Arrangement) -> dict[str, str]:
    """Return the text of a position made of pieces, and a line about what the board does not show of it.

    Raises `Refused` where it is no position.
    """
    try:
        position = arranged(asked)
    except GameError as error:
        raise Refused(BAD_REQUEST, str(error)) from None
    return {"start": position.text(), "summary": position.summary()}


def record(question: Question, started: str) -> dict[str, str]:
    """Write a game as the record of match 0, which has a result where the moves end the game; raises `Refused`.

    ``started`` is a date and time in UTC, as 2026-11-20T20:15:00.000Z.
    """
    history = history_of(question)
    control = TimeControl.of_milliseconds(BUDGET_MS, 0)
    header = Header(0, history.start, (PLAYER, PLAYER), control, MOVE_LIMIT, f"gipf-arena/{PLAYER}", started)
    state, lines = referee.begin(header), [header.text()]

    def take(step: referee.Step) -> referee.State:
        lines.extend(referee.lines_of(step[1]))
        return step[0]

    for side in (0, 1):
        state = take(referee.ready(state, side, 0))
    for move in history.moves:
        state = referee.start_turn(state, 0)
        state = take(referee.move(state, state.history.position.turn, move, 0))
    return {"record": "".join(lines)}


def _line(history: History, result: SearchResult) -> Line:
    sign = 1 if history.position.turn == 0 else -1
    assert result.score is not None
    moves = tuple(result._replace(line=result.line[:MAX_SHOWN]).pv(history.position))
    plies = result.plies_to_end
    return Line(moves, sign * result.score, result.depth, None if plies is None else sign * plies)


def _most_lines(history: History, lines: int) -> int:
    """Return how many lines there are to be found, at most so many: each begins with another position."""
    seen: set[Hashable] = set()
    for successor in history.position.successors():
        seen.add(successor.position.key)
        if len(seen) == lines:
            break
    return len(seen)


def _is_final(result: SearchResult) -> bool:
    plies = result.plies_to_end
    return result.is_known or result.depth >= MAX_DEPTH or (plies is not None and abs(plies) <= result.depth)
