"""The page of a contest for a projector, as data: the report's summary, and the running games that are shown.

Games of later rounds are shown first, then games with lower match numbers.
"""

from collections.abc import Iterable

import msgspec

from engine.games.interface import Position
from server.contest.fixtures import QUALIFICATION
from server.contest.formats.format import Standing
from server.contest.report.formatting import ended, marks, pause, score
from server.contest.report.structure import Game, Report, ScheduledGame
from server.web.views.lobby import Listed

BOARDS = 6
"""Boards that are shown at a time."""

LINES = 12
"""Lines of the table that are shown."""

NEXT = 6
"""Next games that are shown."""

RESULTS = 8
"""Last results that are shown."""

QUALIFYING = QUALIFICATION + 1
"""The number of the qualification in the schedule of a report."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table."""

    place: int
    name: str
    mark: str
    """What decides the place first: points, rounds won or a rating, as text."""
    out: bool
    """Whether it is disqualified."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A result for the ticker."""

    match: int | None
    first: str
    second: str
    score: str
    sentence: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What the report of a contest tells, and the page shows as it is."""

    name: str
    over: bool
    done: int
    known: int
    """Games that are known to be played."""
    seconds_left: float | None
    """How long the contest will take from the moment of the report, about; None where nothing tells."""
    paused: str
    """Since when nothing goes on, and why; empty where all is well."""
    title: str
    """The stage whose table is shown; empty before the first one."""
    mark: str
    """The head of the column of marks."""
    champions: tuple[str, ...]
    """Who has won; empty as long as the contest is not over, and where nobody has."""
    results: tuple[Result, ...]
    """The last ones, the newest first."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What the report of a contest tells to this page."""

    summary: Summary
    table: tuple[Line, ...]
    entrants: tuple[str, ...]
    variants: tuple[str, ...]
    schedule: tuple[ScheduledGame, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is shown with its board."""

    match: Listed
    round: int
    """0 where the report does not know of the game yet."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """An event of the page."""

    summary: Summary
    table: tuple[Line, ...]
    """The first lines."""
    entrants: int
    """Of the stage that is played: they are all in its table."""
    next: tuple[ScheduledGame, ...]
    boards: tuple[Board, ...]
    announcements: tuple[str, ...]
    """What organisers announce."""


def told_by(report: Report, known: int) -> Told:
    """Return what a report tells; ``known`` is the number of games that are known to be played."""
    stage = report.stages[-1] if report.stages else None
    over = report.state == "over"
    table = () if stage is None else tuple(_line(line, stage.kind) for line in stage.table)
    last = report.pauses[-1] if report.pauses else None
    summary = Summary(
        name=report.name,
        over=over,
        done=report.done,
        known=known,
        seconds_left=report.seconds_left,
        paused=pause(last) if last is not None and last.ended is None and not over else "",
        title="" if stage is None else stage.format.partition(",")[0],
        mark="" if stage is None else marks(stage.kind)[0].head,
        champions=report.champions,
        results=tuple(_result(game) for game in report.games[: -RESULTS - 1 : -1]),
    )
    return Told(
        summary=summary,
        table=table,
        entrants=report.entrants,
        variants=tuple(variant.name for variant in report.variants),
        schedule=report.schedule,
    )


def _line(line: Standing, kind: str) -> Line:
    mark = marks(kind)[0].text(line)
    return Line(place=line.place, name=line.name, mark=mark, out=bool(line.disqualified))


def _result(game: Game) -> Result:
    return Result(match=game.match, first=game.first, second=game.second, score=score(game), sentence=ended(game))


def belongs(told: Told, players: tuple[str, str], variant: str) -> bool:
    """Tell whether a running match between two players is a game of the contest, as far as the report can tell."""
    if told.summary.over or variant not in told.variants:
        return False
    return set(players) <= set(told.entrants) or _scheduled(told, players) is not None


def order(told: Told, number: int, players: tuple[str, str]) -> tuple[int, int]:
    """Return the sort key of a running match: later rounds first, then lower numbers."""
    return -_round(told, players), number


def night(
    told: Told,
    matches: Iterable[Listed],
    announcements: tuple[str, ...] = (),
) -> Night:
    """Return an event of the page, with matches in the order in which they are shown."""
    return Night(
        summary=told.summary,
        table=told.table[:LINES],
        entrants=len(told.table),
        next=tuple(game for game in told.schedule if not game.running)[:NEXT],
        boards=tuple(Board(match=match, round=_round(told, match.players)) for match in matches),
        announcements=announcements,
    )


def variant_of(position: Position) -> str:
    """Name the variant of a position as reports do."""
    return f"{position.game.name} {position.parameters}".strip()


def _scheduled(told: Told, players: tuple[str, str]) -> ScheduledGame | None:
    return next((game for game in told.schedule if game.running and (game.first, game.second) == players), None)


def _round(told: Told, players: tuple[str, str]) -> int:
    found = _scheduled(told, players)
    return found.round if found is not None and found.stage != QUALIFYING else 0
