"""Estimates how many games of a contest are left, and how long they will take.

The time follows from the duration of recent games, with the start and the end of their programs, and from the number of
games that can be played at a time: cores, entrants that connect and play one game each, and rounds that wait for the
round before. Before the first game, each game counts with all of its budgets used up.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult, Schedule, counted_games
from server.contest.formats.format import Batch
from server.contest.plan import Plan, StageState
from server.contest.report.structure import Pause
from server.contest.scoring.disqualification import find_disqualified

RECENT = 50
"""Games of a stage, the last ones, by which those that follow are judged."""

SECOND = 1_000_000
"""Microseconds in it."""


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


class Remaining(NamedTuple):
    """The games that are left, and the time that they will take."""

    games: int
    """Those that are running included, and without tie-breaks."""
    at_least: bool
    """There may be more of them: a format decides that later."""
    seconds: float
    """How long they are going to take, about."""
    measured: bool = True
    """The time follows from games that were played, or from a time limit; False: all budgets count as used up."""


def estimate_left(definition: Definition, games: Sequence[GameResult], plan: Plan, moment: Moment) -> Remaining:
    """Estimate what is left, as if nobody else were disqualified."""
    if plan.over:
        return Remaining(0, False, 0.0)
    valid = counted_games(games)
    out = find_disqualified(definition, valid).keys()
    last = plan.stages[-1]
    players = sum(name not in out for name in last.players)
    left = {last.number: _open_batches(definition, last, valid, out, players)}
    for number in range(last.number + 1, len(definition.stages)):
        players = min(players, definition.stages[number].advance or players)
        size = _meeting_games(definition, number)
        left[number] = definition.stages[number].format.batches(players, players, size, Schedule(()), Batch(0, 0))
    count, seconds, at_least, measured = 0, 0.0, False, True
    for number, batches in left.items():
        size = sum(batch.games for batch in batches)
        a_game = _game_seconds(definition, number, valid)
        longest = _longest_game(definition, number)
        duration = _duration(definition, batches, longest if a_game is None else a_game, moment)
        limit = _time_limit(definition, number, moment)
        format = None if number == QUALIFICATION else definition.stages[number].format
        endless = format is not None and format.may_grow
        if limit:  # at 0 only the pairs that have begun are left
            duration = limit if endless else min(limit, duration)
        measured &= a_game is not None or not size or (endless and bool(limit))
        at_least |= endless and not (number == last.number and last.schedule.complete)
        count += size
        seconds += duration
    return Remaining(count, at_least, seconds, measured)


def _open_batches(
    definition: Definition, state: StageState, games: list[GameResult], out: Set[str], players: int
) -> list[Batch]:
    over = {game.fixture for game in games}
    fixtures = state.schedule.fixtures
    known = [fixture for fixture in fixtures if fixture not in over and out.isdisjoint(fixture.players)]
    open_ = Batch(len(known), len({name for fixture in known for name in fixture.players}))
    if state.number == QUALIFICATION or state.schedule.complete:
        return [open_]
    size = _meeting_games(definition, state.number)
    return definition.stages[state.number].format.batches(len(state.players), players, size, state.schedule, open_)


def _meeting_games(definition: Definition, number: int) -> int:
    return 2 * len(definition.variants) * definition.stages[number].pairs


def _duration(definition: Definition, batches: list[Batch], a_game: float, moment: Moment) -> float:
    """Return the duration of games, one batch after the other."""
    seconds = 0.0
    for batch in batches:
        games, slots = batch.games, _slots(definition, batch, moment)
        # at the end of a batch not all places are taken: some wait for the last game
        seconds += max(a_game, a_game * (games / slots + 0.5 * (1 - 1 / slots))) if games else 0.0
    return seconds


def _longest_game(definition: Definition, number: int) -> float:
    """Return the longest duration of a game of a stage in seconds, with the start of its programs."""
    if number == QUALIFICATION:
        assert definition.qualification is not None
        controls = [definition.qualification.control]
    else:
        controls = definition.stages[number].controls
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


def _game_seconds(definition: Definition, number: int, games: list[GameResult]) -> float | None:
    """Return the typical duration of a game of a stage; None if no game was played.

    A stage without games takes the same part of its budgets as games of earlier stages.
    """
    played = [game for game in games if game.played]
    mine = [_seconds(game) for game in played if game.fixture.stage == number][-RECENT:]
    if mine:
        return sum(mine) / len(mine)
    if not played:
        return None
    shares = [_seconds(game) / (2 * definition.control(game.fixture).budget / SECOND) for game in played[-RECENT:]]
    stage = definition.qualification if number == QUALIFICATION else definition.stages[number]
    assert stage is not None
    return 2 * stage.control.budget / SECOND * sum(shares) / len(shares)


def _seconds(game: GameResult) -> float:
    """Return the duration of a game; at least the time that both sides used."""
    return max(game.seconds, sum(game.used) / SECOND)


def _time_limit(definition: Definition, number: int, moment: Moment) -> float | None:
    """Return how many seconds a ladder has left; None for a stage without a time limit."""
    if number == QUALIFICATION:
        return None
    began = moment.began.get(number)
    return definition.stages[number].format.seconds_left((moment.now - began).total_seconds() if began else 0.0)
