"""The estimate of the time left, held against contests that are played on a simulated clock."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from server.contest.definition import Definition, Format
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.knockout import Knockout
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, RoundRobin
from server.contest.formats.swiss import Swiss
from server.contest.plan import Present, games_to_start, plan
from server.contest.report.progress import Moment, Remaining, estimate_left
from tests.server.contest.played import CONTROL, by_seed, contest
from tests.server.contest.report.samples import OPENED
from tests.server.contest.test_plan import RULES

CORES = 4
LONGEST = 1.5
"""Seconds that a game takes at most here; each side has 1 s and 10 ms a move."""


class Seen(NamedTuple):
    """An estimate in the middle of a contest."""

    second: float
    found: Remaining


def simulated(definition: Definition, seed: int) -> tuple[list[Seen], float, int]:
    """Play a contest, as a runner does, on a clock of its own; return all estimates, its end, and its games."""
    names = tuple(entrant.name for entrant in definition.entrants)
    chance, result = Random(seed), by_seed(seed)
    games: list[GameResult] = []
    running: dict[Fixture, tuple[float, float]] = {}
    clock, seen = 0.0, []
    while True:
        now = plan(definition, games, Present(frozenset(running), names))
        games += now.forfeited
        seen.append(
            Seen(
                clock, estimate_left(definition, games, now, Moment(OPENED, OPENED, running=set(running), cores=CORES))
            )
        )
        if now.over:
            return seen, clock, len(games)
        for fixture in games_to_start(definition, now.due, running, names, CORES):
            running[fixture] = (clock, clock + chance.uniform(0.3, LONGEST))
        first = min(running, key=lambda fixture: running[fixture][1])
        began, clock = running.pop(first)
        games.append(result(first)._replace(seconds=clock - began))


def formats() -> Iterator[tuple[Format, ...]]:
    yield (RoundRobin(),)
    yield (Swiss(4),)
    yield (Gauntlet(("a1", "a2"), 3),)
    yield (Knockout(tie_breaks=3, control=CONTROL),)
    yield (Ladder(60, 0),)
    yield (Swiss(3), Knockout(tie_breaks=2, control=CONTROL))


@pytest.mark.parametrize("programs", [True, False])
@pytest.mark.parametrize("qualified", [True, False])
@pytest.mark.parametrize("stages", list(formats()), ids=str)
def test_the_time_left_is_about_what_it_then_takes(stages: tuple[Format, ...], qualified: bool, programs: bool) -> None:
    definition = contest(9, *stages, pairs=2, advance=4, qualification=RULES if qualified else None)
    if programs:
        entrants = tuple(replace(entrant, command=("./bot",)) for entrant in definition.entrants)
        definition = replace(definition, entrants=entrants)
    seen, end, _ = simulated(definition, seed=1)
    assert not seen[0].found.measured, "nothing was played: all budgets count as used up"
    assert seen[-1].found == Remaining(0, False, 0.0)
    for share in (0.1, 0.5, 0.9):
        second, found = next(one for one in seen if one.second >= share * end)
        truth = end - second
        assert found.measured
        assert truth / 1.8 - 3 * LONGEST <= found.seconds <= 1.8 * truth + 3 * LONGEST
