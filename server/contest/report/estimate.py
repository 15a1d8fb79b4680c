"""Estimates how many games of a contest are left, and how long they will take.

Time is judged by how long recent games have really taken, with the start and the end of their programs, and by how many
of them can be played at a time: by cores, by entrants that connect and play one game each, and by rounds, of which each
waits for the last game of the one before. As long as nothing was played there is only a bound, by the budgets.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from server.contest.definition import Definition, Gauntlet, Knockout, Ladder, RoundRobin, Swiss
from server.contest.fixtures import QUALIFICATION, Finished, Fixture, counted_games, games_in_meeting
from server.contest.formats.plan import Plan, StageState
from server.contest.report.structure import Pause
from server.contest.scoring.disqualification import find_disqualified

RECENT = 50
"""Games of a stage, the last ones, by which those that follow are judged."""

SECOND = 1_000_000
"""Microseconds in it."""

EVEN_PAIRS = 0.4
"""How many pairs of games end even, as long as few were played; counts as much as `EVEN_WEIGHT` pairs."""

EVEN_WEIGHT = 4


class Moment(NamedTuple):
    """The state of a contest at a moment, in addition to its definition and games."""

    now: datetime
    opened: datetime
    closed: datetime | None = None
    began: Mapping[int, datetime] = MappingProxyType({})
    """When each stage began, by its number."""
    running: Collection[Fixture] = ()
    """Games that are being played."""
    missing: Collection[str] = ()
    """Entrants that games wait for."""
    pauses: Sequence[Pause] = ()
    """When nothing went on through a fault that was no entrant's; the last one may still last."""
    notes: Sequence[str] = ()
    """What was found when the table was held against the records; sentences."""
    cores: int = 0
    """How many programs can think at a time; 0 where that is not known."""
    share: float | None = None
    """The part of both budgets that games of such variants took elsewhere; for as long as none was played here."""


class Remaining(NamedTuple):
    """The games that are left, and the time that they will take."""

    games: int
    """Those that are running included."""
    at_least: bool
    """There may be more of them: a format decides that later."""
    seconds: float | None
    """How long they are going to take, about; None as long as nothing tells."""
    expected: int = 0
    """As ``games``, with as many that break ties as are likely."""
    most: int = 0
    """As ``games``, with all that could break ties."""
    most_seconds: float | None = 0.0
    """How long they take at most, if all budgets are used up; None where nothing bounds it."""
    time_up: bool = False
    """A ladder's time is over: what is left are the pairs that have begun, which are played to their end."""


class Batch(NamedTuple):
    """Games that can be played in any order after those of the batch before."""

    games: int
    players: int
    """That take part."""
    tie_breaks: int = 0
    """Games that may come in addition."""
    likely: float = 0.0
    """How many of them are likely to."""


def estimate_left(definition: Definition, games: Sequence[Finished], plan: Plan, moment: Moment) -> Remaining:
    """Estimate what is left, as if nobody else were disqualified."""
    if plan.over:
        return Remaining(0, False, 0.0)
    stages = estimate_stages(definition, games, plan, moment)
    return Remaining(
        sum(stage.games for stage in stages.values()),
        any(stage.at_least for stage in stages.values()),
        _sum([stage.seconds for stage in stages.values()]),
        sum(stage.expected for stage in stages.values()),
        sum(stage.most for stage in stages.values()),
        _sum([stage.most_seconds for stage in stages.values()]),
        stages[plan.stages[-1].number].time_up,
    )


def estimate_stages(
    definition: Definition, games: Sequence[Finished], plan: Plan, moment: Moment
) -> dict[int, Remaining]:
    """Estimate what is left of each stage that is not over, by its number, as if nobody else were disqualified."""
    valid = counted_games(games)
    out = find_disqualified(definition, valid).keys()
    last = plan.stages[-1]
    players = sum(name not in out for name in last.players)
    found = [_of_open_stage(definition, last, valid, out, players)]
    for number in range(last.number + 1, len(definition.stages)):
        players = min(players, definition.stages[number].advance or players)
        found.append(_of_later_stage(definition, number, players, _even(valid)))
    estimates: dict[int, Remaining] = {}
    for number, (batches, at_least) in enumerate(found, last.number):
        a_game = _game_seconds(definition, number, valid, moment.share)
        by_games = None if a_game is None else _duration(definition, batches, a_game, moment)
        by_games = 0.0 if not any(batch.games for batch in batches) else by_games
        bound: float | None = _bound(definition, number, batches, moment)
        limit = _time_limit(definition, number, moment)
        if limit == 0:  # what is left are pairs that have begun
            bound = _longest_game(definition, number) * 2
        elif limit is not None:
            by_games = limit if by_games is None or _endless(definition, number) else min(limit, by_games)
            # pairs that have begun are played to their end
            rest = _longest_game(definition, number) * 2
            bound = limit + rest if _endless(definition, number) or bound is None else min(limit + rest, bound)
        least = sum(batch.games for batch in batches)
        likely = least + round(sum(batch.likely for batch in batches))
        most = least + sum(batch.tie_breaks for batch in batches)
        estimates[number] = Remaining(least, at_least, by_games, likely, most, bound, limit == 0)
    return estimates


Batches = tuple[list[Batch], bool]
"""Games, and whether there may be more."""


def _of_open_stage(
    definition: Definition, state: StageState, games: list[Finished], out: Set[str], players: int
) -> Batches:
    over = {game.fixture for game in games}
    fixtures = state.schedule.fixtures
    known = [fixture for fixture in fixtures if fixture not in over and out.isdisjoint(fixture.players)]
    open_ = Batch(len(known), len({name for fixture in known for name in fixture.players}))
    if state.number == QUALIFICATION or state.schedule.complete:
        return [open_], False
    format = definition.stages[state.number].format
    size = games_in_meeting(definition, state.number)
    rounds = max((fixture.round for fixture in fixtures), default=0)
    if isinstance(format, Swiss):
        later = [Batch((players // 2) * size, players) for _ in range(format.rounds - rounds)]
        return [open_, *later], False
    if isinstance(format, Knockout):
        even = _even(games)
        here = {frozenset(fixture.players) for fixture in known if fixture.pair < definition.stages[state.number].pairs}
        begun = {frozenset(fixture.players) for fixture in known} - here
        # of a meeting that goes on with tie-breaks one pair is known, and others may follow
        open_ = _with_tie_breaks(open_, format, len(here), even)
        again = _with_tie_breaks(
            Batch(0, 0), replace(format, tie_breaks=max(0, format.tie_breaks - 1)), len(begun), even
        )
        open_ = open_._replace(tie_breaks=open_.tie_breaks + again.tie_breaks, likely=open_.likely + again.likely)
        return [open_, *_knockout(format, len(state.players), size, even, rounds)], True
    assert isinstance(format, Ladder), "all games of other formats are known from the beginning"
    more = max(0, format.games - len(fixtures))
    return [Batch(open_.games + more, players)], format.games == 0


def _of_later_stage(definition: Definition, number: int, players: int, even: float) -> Batches:
    format = definition.stages[number].format
    size = games_in_meeting(definition, number)
    if isinstance(format, RoundRobin):
        return [Batch(format.cycles * players * (players - 1) // 2 * size, players)], False
    if isinstance(format, Swiss):
        return [Batch((players // 2) * size, players) for _ in range(format.rounds)], False
    if isinstance(format, Knockout):
        return _knockout(format, players, size, even), True
    if isinstance(format, Gauntlet):
        challengers = min(players, len(format.challengers))
        return [Batch(format.cycles * challengers * (players - challengers) * size, 2 * challengers)], False
    return [Batch(format.games, players)], format.games == 0


def _knockout(format: Knockout, players: int, size: int, even: float, behind: int = 0) -> list[Batch]:
    """Return the rounds of a knockout after a number of rounds."""
    rounds = max(0, players - 1).bit_length()
    batches = []
    for number in range(behind + 1, rounds + 1):
        meetings = 2 ** (rounds - number)
        if number == 1:
            meetings = players - meetings
        if number == rounds and format.third_place and players > 3:
            meetings += 1
        batches.append(_with_tie_breaks(Batch(meetings * size, 2 * meetings), format, meetings, even))
    return batches


def _with_tie_breaks(batch: Batch, format: Knockout, meetings: int, even: float) -> Batch:
    likely = 2 * meetings * sum(even**number for number in range(1, format.tie_breaks + 1))
    return batch._replace(tie_breaks=2 * meetings * format.tie_breaks, likely=likely)


def _even(games: list[Finished]) -> float:
    """Estimate which part of the pairs of games ends even, from the finished ones."""
    pairs: defaultdict[Fixture, list[Finished]] = defaultdict(list)
    for game in games:
        if game.played:
            pairs[min(game.fixture, game.fixture.swapped)].append(game)
    whole = Counter(two[0].points(0) == two[1].points(0) for two in pairs.values() if len(two) == 2)
    return (whole[True] + EVEN_PAIRS * EVEN_WEIGHT) / (whole.total() + EVEN_WEIGHT)


def _duration(definition: Definition, batches: list[Batch], a_game: float, moment: Moment) -> float:
    """Return the duration of games, one batch after the other."""
    seconds = 0.0
    for batch in batches:
        games = batch.games + batch.likely
        slots = _slots(definition, batch, moment)
        # at the end of a batch not all places are taken: some wait for the last game
        seconds += max(a_game, a_game * (games / slots + 0.5 * (1 - 1 / slots))) if games else 0.0
    return seconds


def _bound(definition: Definition, number: int, batches: list[Batch], moment: Moment) -> float:
    """Return the longest duration of games, with all budgets used up, one batch after the other."""
    longest, seconds = _longest_game(definition, number), 0.0
    for batch in batches:
        # pairs that break ties are played one after the other
        in_a_row = math.ceil(batch.games / _slots(definition, batch, moment)) + batch.tie_breaks
        seconds += longest * in_a_row
    return seconds


def _longest_game(definition: Definition, number: int) -> float:
    """Return the longest duration of a game of a stage in seconds, with the start of its programs."""
    if number == QUALIFICATION:
        assert definition.qualification is not None
        controls = [definition.qualification.control]
    else:
        stage = definition.stages[number]
        controls = [stage.control, *([stage.format.control] if isinstance(stage.format, Knockout) else [])]
    longest = max(2 * control.budget + definition.move_limit * control.increment for control in controls)
    programs = any(not entrant.connects for entrant in definition.entrants) or number == QUALIFICATION
    return longest / SECOND + (definition.start_seconds if programs else 0)


def _slots(definition: Definition, batch: Batch, moment: Moment) -> float:
    """Return how many games of a batch can be played at the same time; at least those that are running."""
    entrants = definition.entrants
    connecting = sum(entrant.connects for entrant in entrants)
    programs = 2 * (1 - connecting / len(entrants))
    most = float(definition.games_at_once or batch.games or 1)
    if programs:
        cores = definition.cores or moment.cores
        # not known: as many as are played now
        most = min(most, max(1, cores // programs) if cores else max(1, len(moment.running)))
    if connecting == len(entrants):
        most = min(most, max(1, batch.players // 2))
    return max(1.0, min(max(most, len(moment.running)), batch.games or 1))


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def budget_shares(definition: Definition, games: Sequence[Finished]) -> list[float]:
    """Return the part of both budgets that each game has taken, with the start and the end of its programs."""
    played = [game for game in games if game.played]
    return [_seconds(game) / (2 * game.fixture.control(definition).budget / SECOND) for game in played]


def _game_seconds(
    definition: Definition, number: int, games: list[Finished], elsewhere: float | None = None
) -> float | None:
    """Return the typical duration of a game of a stage; None if none was played, and nothing is known of others."""
    played = [game for game in games if game.played]
    mine = [_seconds(game) for game in played if game.fixture.stage == number][-RECENT:]
    if mine:
        return sum(mine) / len(mine)
    shares = budget_shares(definition, played[-RECENT:]) or ([] if elsewhere is None else [elsewhere])
    if not shares:
        return None
    stage = definition.qualification if number == QUALIFICATION else definition.stages[number]
    assert stage is not None
    return 2 * stage.control.budget / SECOND * sum(shares) / len(shares)


def _seconds(game: Finished) -> float:
    """Return the duration of a game; at least the time that both sides used."""
    return max(game.seconds, sum(game.used) / SECOND)


def _time_limit(definition: Definition, number: int, moment: Moment) -> float | None:
    """Return how many seconds a ladder has left; None for a stage without a time limit."""
    if number == QUALIFICATION:
        return None
    format = definition.stages[number].format
    if not isinstance(format, Ladder) or format.seconds == 0:
        return None
    began = moment.began.get(number)
    gone = 0.0 if began is None else (moment.now - began).total_seconds()
    return max(0.0, format.seconds - gone)


def _endless(definition: Definition, number: int) -> bool:
    """Tell whether a stage is a ladder that only its time limit ends."""
    format = definition.stages[number].format
    return isinstance(format, Ladder) and format.games == 0
