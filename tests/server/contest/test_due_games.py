"""Which games begin now, and how long a plan stands."""

from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace
from trio.testing import MockClock

from server.contest.definition import Definition, Entrant, Format, Qualification
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.meetings import Gauntlet, RoundRobin
from server.contest.formats.rounds import Swiss
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.plan import games_to_start, plan
from server.contest.runtime.ledger import Ledger
from server.contest.runtime.runner import STANDS_SECONDS, ContestPlanner
from tests.server.contest.played import CONTROL, by_seed, contest

DEFINITION = contest(4, RoundRobin())
DUE = plan(DEFINITION, []).due
EVERYBODY = {"a1", "a2", "a3", "a4"}
PROGRAMS = replace(DEFINITION, entrants=tuple(Entrant(name, ("./bot",)) for name in sorted(EVERYBODY)))


def names(fixtures: list[Fixture]) -> list[str]:
    return ["-".join(fixture.players) for fixture in fixtures]


def test_who_connects_plays_one_game_at_a_time() -> None:
    assert names(games_to_start(DEFINITION, DUE, [], EVERYBODY, 1)) == ["a1-a4", "a2-a3"]
    assert names(games_to_start(DEFINITION, DUE, DUE[:1], EVERYBODY, 1)) == ["a2-a3"]
    assert names(games_to_start(DEFINITION, DUE, [], EVERYBODY - {"a4"}, 1)) == ["a2-a3"]
    assert games_to_start(DEFINITION, DUE, [], set(), 8) == []


def test_organiser_bounds_the_games_at_once() -> None:
    one = replace(DEFINITION, games_at_once=1)
    assert names(games_to_start(one, DUE, [], EVERYBODY, 8)) == ["a1-a4"]
    assert games_to_start(one, DUE, DUE[:1], EVERYBODY, 8) == []


def test_programs_have_a_core_each() -> None:
    assert len(games_to_start(PROGRAMS, DUE, [], set(), 5)) == 2
    assert len(games_to_start(PROGRAMS, DUE, DUE[:1], set(), 5)) == 1
    assert len(games_to_start(PROGRAMS, DUE, DUE[:2], set(), 5)) == 0
    assert len(games_to_start(replace(PROGRAMS, cores=8), DUE, [], set(), 2)) == 4
    assert names(games_to_start(PROGRAMS, DUE, [], set(), 4)) == ["a1-a4", "a4-a1"], "a program may play several games"


def test_with_a_single_core_games_of_two_programs_are_played_one_by_one() -> None:
    assert len(games_to_start(PROGRAMS, DUE, [], set(), 1)) == 1
    assert len(games_to_start(PROGRAMS, DUE, DUE[:1], set(), 1)) == 0


def test_builtin_bots_take_a_core_and_those_who_connect_none() -> None:
    definition = replace(DEFINITION, qualification=Qualification(("random",), CONTROL, 1, 2, 1))
    due = plan(definition, []).due
    assert len(games_to_start(definition, due, [], EVERYBODY, 3)) == 3
    mixed = replace(DEFINITION, entrants=(Entrant("a1", ("./bot",)), *DEFINITION.entrants[1:]))
    assert names(games_to_start(mixed, DUE, [], EVERYBODY, 1)) == ["a1-a4", "a2-a3"]


async def planner_of(definition: Definition, games: list[GameResult]) -> ContestPlanner:
    """Return a planner that has planned after some games; it sees later ones."""

    async def stage_began(*_: object) -> None:
        pass

    ledger = SimpleNamespace(definition=definition, games=games, began={}, stage_began=stage_began)
    planner = ContestPlanner(cast(Ledger, ledger), ContestPlayers())
    await planner.plan((), ())
    return planner


async def test_a_plan_stands_without_what_has_begun_and_is_the_one_that_would_be_made(mock_clock: MockClock) -> None:
    definition, games, play = contest(4, RoundRobin(), pairs=2), list[GameResult](), by_seed(1)
    planner = await planner_of(definition, games)
    for _ in range(23):
        found = planner.last_plan()
        assert found is not None and found == plan(definition, games)
        fixture = found.due[len(games) % 2 if len(found.due) > 1 else 0]
        planner.begun([fixture])
        games.append(play(fixture))
    planner.begun(plan(definition, games).due)
    assert planner.last_plan() is None, "whether the contest is over says a plan"


@pytest.mark.parametrize(("format", "stands"), [(RoundRobin(), True), (Gauntlet(("a1",)), True), (Swiss(2), False)])
async def test_only_a_schedule_that_is_known_from_the_start_stands(
    format: Format, stands: bool, mock_clock: MockClock
) -> None:
    assert ((await planner_of(contest(4, format), [])).last_plan() is not None) == stands


async def test_a_plan_does_not_stand_for_long_or_after_a_result_that_may_disqualify(mock_clock: MockClock) -> None:
    definition, games = contest(4, RoundRobin()), list[GameResult]()
    planner = await planner_of(definition, games)
    mock_clock.jump(STANDS_SECONDS)
    assert planner.last_plan() is None
    planner = await planner_of(definition, games)
    games.append(GameResult(DUE[0], 1, 0, "time"))
    assert planner.last_plan() is None


def test_choosing_a_game_of_programs_looks_at_no_more_games_than_fit() -> None:
    definition = contest(10, RoundRobin(), pairs=20)
    programs = replace(definition, entrants=tuple(replace(one, command=("bot",)) for one in definition.entrants))
    looked = iter(plan(programs, []).due)
    assert len(games_to_start(programs, looked, (), (), cores=4)) == 2
    assert sum(1 for _ in looked) == 20 * 90 - 3, "a long contest costs no more for each of its games than a short one"
