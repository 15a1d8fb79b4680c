"""How many games of a contest are left, and how long they are going to take."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from server.contest.conduct import disqualified
from server.contest.definition import Definition, Gauntlet, Knockout, Ladder, RoundRobin, Swiss
from server.contest.fixtures import QUALIFICATION, Finished, counted, games_in_meeting
from server.contest.plan import Plan, StageState
from server.report.contents import Moment

RECENT = 50
"""Games of a stage, the last ones, by which those that follow are judged."""

SECOND = 1_000_000
"""Microseconds in it."""


class Left(NamedTuple):
    """What is still to be played."""

    games: int
    """Those that are running included."""
    at_least: bool
    """There may be more of them: a format decides that later."""
    seconds: float | None
    """How long they are going to take, about; None as long as nothing tells."""


def left(definition: Definition, games: Sequence[Finished], plan: Plan, moment: Moment) -> Left:
    """Estimate what is left, as if nobody else were disqualified.

    Time is judged by what both sides used in recent games of the stage, in a stage without games by the share of their
    budget that they used in others, and by how many games are running now.
    """
    if plan.over:
        return Left(0, False, 0.0)
    valid = counted(games)
    out = disqualified(definition, valid).keys()
    at_once = max(1, len(moment.running))
    last = plan.stages[-1]
    players = sum(name not in out for name in last.players)
    found = [_of_open_stage(definition, last, valid, out, players)]
    for number in range(last.number + 1, len(definition.stages)):
        players = min(players, definition.stages[number].advance or players)
        found.append(_of_later_stage(definition, number, players))
    seconds: list[float | None] = []
    for number, (more, _) in enumerate(found, last.number):
        a_game = _game_seconds(definition, number, valid)
        by_games = 0.0 if more == 0 else None if a_game is None else more * a_game / at_once
        limit = _time_limit(definition, number, moment)
        if limit is None:
            seconds.append(by_games)
        else:
            seconds.append(limit if by_games is None or _endless(definition, number) else min(limit, by_games))
    known = [time for time in seconds if time is not None]
    return Left(
        sum(more for more, _ in found),
        any(at_least for _, at_least in found),
        sum(known) if len(known) == len(seconds) else None,
    )


Count = tuple[int, bool]
"""Games, and whether there may be more."""


def _of_open_stage(
    definition: Definition, state: StageState, games: list[Finished], out: Set[str], players: int
) -> Count:
    over = {game.fixture for game in games}
    fixtures = state.schedule.fixtures
    known = sum(fixture not in over and out.isdisjoint(fixture.players) for fixture in fixtures)
    if state.number == QUALIFICATION or state.schedule.complete:
        return known, False
    format = definition.stages[state.number].format
    size = games_in_meeting(definition, state.number)
    if isinstance(format, Swiss):
        rounds = max((fixture.round for fixture in fixtures), default=0)
        return known + (format.rounds - rounds) * (players // 2) * size, False
    if isinstance(format, Knockout):
        meetings = {(fixture.round, frozenset(fixture.players)) for fixture in fixtures}
        return known + (len(state.players) - 1 - len(meetings)) * size, True
    assert isinstance(format, Ladder), "all games of other formats are known from the beginning"
    return known + max(0, format.games - len(fixtures)), format.games == 0


def _of_later_stage(definition: Definition, number: int, players: int) -> Count:
    format = definition.stages[number].format
    size = games_in_meeting(definition, number)
    if isinstance(format, RoundRobin):
        return format.cycles * players * (players - 1) // 2 * size, False
    if isinstance(format, Swiss):
        return format.rounds * (players // 2) * size, False
    if isinstance(format, Knockout):
        return max(0, players - 1) * size, True
    if isinstance(format, Gauntlet):
        challengers = min(players, len(format.challengers))
        return format.cycles * challengers * (players - challengers) * size, False
    return format.games, format.games == 0


def _game_seconds(definition: Definition, number: int, games: list[Finished]) -> float | None:
    """Return how long a game of a stage takes, about; None as long as none was played."""
    played = [game for game in games if game.played]
    mine = [sum(game.used) for game in played if game.fixture.stage == number][-RECENT:]
    if mine:
        return sum(mine) / len(mine) / SECOND
    shares = [sum(game.used) / (2 * game.fixture.control(definition).budget) for game in played[-RECENT:]]
    if not shares:
        return None
    return 2 * definition.stages[number].control.budget * sum(shares) / len(shares) / SECOND


def _time_limit(definition: Definition, number: int, moment: Moment) -> float | None:
    """Return how many seconds a ladder still has by its limit of time; None for what has none."""
    if number == QUALIFICATION:
        return None
    format = definition.stages[number].format
    if not isinstance(format, Ladder) or format.seconds == 0:
        return None
    began = moment.began.get(number)
    gone = 0.0 if began is None else (moment.now - began).total_seconds()
    return max(0.0, format.seconds - gone)


def _endless(definition: Definition, number: int) -> bool:
    """Tell whether a stage is a ladder that time alone ends."""
    format = definition.stages[number].format
    return isinstance(format, Ladder) and format.games == 0
