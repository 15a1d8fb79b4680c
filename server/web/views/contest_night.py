"""The page of a contest for a projector, as data: what its report tells, and which running games are shown first.

The games that decide most come first. A game decides as much as its result can change of the table: first come games
that can change who leads, then those that can change a better place, then those of the best players. In a knockout,
later rounds come first; where ratings make the order, the best players do.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.games.interface import Position
from server.contest.fixtures import QUALIFICATION
from server.contest.formats.standings import Standing
from server.contest.report.contents import THIRD_PLACE
from server.contest.report.formatting import pause
from server.contest.report.structure import Game, Report, Round, ScheduledGame
from server.contest.report.tables import ended, marks, score
from server.web.views.lobby import Listed

BOARDS = 6
"""Boards that are shown at a time."""

LINES = 12
"""Lines of the table that are shown."""

NEXT = 6
"""Next games that are shown."""

RESULTS = 8
"""Last results that are shown."""

POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0)}
"""What both players get for each result."""

QUALIFYING = QUALIFICATION + 1
"""The number of the qualification in the schedule of a report."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table."""

    place: int
    name: str
    mark: str
    """What decides the place first: points, rounds won or a rating, as text."""
    points: float
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
    kind: str
    """The word of the stage's format in contest files; empty before the first stage."""
    table: tuple[Line, ...]
    entrants: tuple[str, ...]
    variants: tuple[str, ...]
    schedule: tuple[ScheduledGame, ...]
    bracket: tuple[Round, ...] = ()
    """Of a knockout."""


class Change(msgspec.Struct, frozen=True):
    """What a result makes of a player's place in the table."""

    name: str
    before: int
    after: int


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """What the result of a running game would change, tie-breaks left as they are."""

    leader: bool
    """Whether it can change who leads."""
    best: int
    """The best place that it can change; one behind the last where it changes none."""
    changes: dict[str, tuple[Change, ...]]
    """By result (``first``, ``draw``, ``second``): the players whose places change."""


class Onward(msgspec.Struct, frozen=True, kw_only=True):
    """What the winner of a meeting of a knockout gets by it."""

    place: int
    """1 in the final, 3 in the match for that place; 0: a place in the next round."""
    opponents: tuple[str, ...]
    """Whom the winner meets there: one, or two who still play for it; nobody where that is not known yet."""


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is shown with its board."""

    match: Listed
    round: int
    """0 where the report does not know of the game yet."""
    stakes: Stakes | None
    """None where the order of the table is not that of points."""
    onward: Onward | None
    """None where no meeting of a knockout is played."""


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
        kind="" if stage is None else stage.kind,
        table=table,
        entrants=report.entrants,
        variants=tuple(variant.name for variant in report.variants),
        schedule=report.schedule,
        bracket=() if stage is None else stage.bracket,
    )


def _line(line: Standing, kind: str) -> Line:
    mark = marks(kind)[0].text(line)
    return Line(place=line.place, name=line.name, mark=mark, points=line.points, out=bool(line.disqualified))


def _result(game: Game) -> Result:
    return Result(match=game.match, first=game.first, second=game.second, score=score(game), sentence=ended(game))


def belongs(told: Told, players: tuple[str, str], variant: str) -> bool:
    """Tell whether a running match between two players is a game of the contest, as far as the report can tell."""
    if told.summary.over or variant not in told.variants:
        return False
    return set(players) <= set(told.entrants) or _scheduled(told, players) is not None


def stakes(told: Told, players: tuple[str, str]) -> Stakes | None:
    """Return what the result of a running game would change in the table."""
    names = [line.name for line in told.table]
    if told.kind not in ("round-robin", "swiss") or not set(players) <= set(names):
        return None
    before = _places(told.table, {})
    best, leader, changes = len(names) + 1, False, {}
    for result, gained in POINTS.items():
        after = _places(told.table, dict(zip(players, gained, strict=True)))
        moved = [name for name in names if before[name] != after[name]]
        best = min([best, *(min(before[name], after[name]) for name in moved)])
        leader = leader or any((before[name] == 1) != (after[name] == 1) for name in names)
        changes[result] = tuple(Change(name, before[name], after[name]) for name in players if name in moved)
    return Stakes(leader=leader, best=best, changes=changes)


def onward(told: Told, players: tuple[str, str]) -> Onward | None:
    """Return what the winner of the meeting to which a running game belongs gets by it."""
    for round in told.bracket:
        for number, meeting in enumerate(round.meetings):
            if meeting.winner is not None or set(meeting.players) != set(players):
                continue
            if len(round.meetings) == 1:
                return Onward(place=3 if round.name == THIRD_PLACE else 1, opponents=())
            other = round.meetings[number ^ 1]
            names = other.players if other.winner is None else (other.players[other.winner],)
            known = tuple(name for name in names if name is not None)
            return Onward(place=0, opponents=known if len(known) == len(names) else ())
    return None


def _places(table: Sequence[Line], more: Mapping[str, float]) -> dict[str, int]:
    """Return everybody's place with so many points more; who shares a place now shares it while points are equal."""
    order = sorted(table, key=lambda line: (line.out, -line.points - more.get(line.name, 0.0)))
    places: dict[str, int] = {}
    before: tuple[int, float] | None = None
    for number, line in enumerate(order, 1):
        tied = line.place, line.points + more.get(line.name, 0.0)
        places[line.name] = places[order[number - 2].name] if tied == before else number
        before = tied
    return places


def deciding(told: Told, games: Iterable[tuple[int, tuple[str, str]]]) -> list[int]:
    """Return running matches in the order in which they are shown, from their numbers and players."""
    places = {line.name: place for place, line in enumerate(told.table, 1)}
    last = len(places) + 1

    def key(game: tuple[int, tuple[str, str]]) -> tuple[float, ...]:
        number, players = game
        of_players = sorted(places.get(name, last) for name in players)
        later = -_round(told, players) if told.kind == "knockout" else 0
        found = stakes(told, players)
        decides = (not found.leader, found.best) if found is not None else (True, last)
        return (later, *decides, *of_players, number)

    return [number for number, _ in sorted(games, key=key)]


def choose(told: Told, games: Sequence[tuple[int, tuple[str, str]]]) -> dict[int, Stakes | None]:
    """Return the matches that are shown, and what each would change, in the order of `deciding`.

    With hundreds of entrants it takes some milliseconds: call it in a thread.
    """
    players = dict(games)
    return {number: stakes(told, players[number]) for number in deciding(told, games)[:BOARDS]}


def night(
    told: Told,
    matches: Sequence[tuple[Listed, Stakes | None]],
    announcements: tuple[str, ...] = (),
) -> Night:
    """Return an event of the page, with matches in the order in which they are shown."""
    boards = tuple(
        Board(
            match=match,
            round=_round(told, match.players),
            stakes=found if match.ending is None else None,
            onward=onward(told, match.players) if match.ending is None else None,
        )
        for match, found in matches
    )
    return Night(
        summary=told.summary,
        table=told.table[:LINES],
        entrants=len(told.table),
        next=tuple(game for game in told.schedule if not game.running)[:NEXT],
        boards=boards,
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
