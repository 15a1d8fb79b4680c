"""Which games begin now, and how long a plan stands."""

import pytest
from msgspec.structs import replace

from server.contest.definition import Definition, Entrant, Format, Qualification
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.meetings import Gauntlet, RoundRobin
from server.contest.formats.rounds import Swiss
from server.contest.plan import games_to_start, plan
from server.contest.runtime.planner import STANDS_SECONDS, PlanCache
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


def planned(definition: Definition, games: list[GameResult]) -> PlanCache:
    due = PlanCache()
    due.keep(plan(definition, games), definition, now=0.0)
    return due


def test_a_plan_stands_without_what_has_begun_and_is_the_one_that_would_be_made() -> None:
    definition, games, play = contest(4, RoundRobin(), pairs=2), list[GameResult](), by_seed(1)
    due = planned(definition, games)
    for _ in range(23):
        found = due.standing(0.5)
        assert found is not None and found == plan(definition, games)
        fixture = found.due[len(games) % 2 if len(found.due) > 1 else 0]
        due.begun([fixture])
        games.append(play(fixture))
    due.begun(plan(definition, games).due)
    assert due.standing(0.5) is None, "whether the contest is over says a plan"


@pytest.mark.parametrize(("format", "stands"), [(RoundRobin(), True), (Gauntlet(("a1",)), True), (Swiss(2), False)])
def test_only_a_schedule_that_is_known_from_the_start_stands(format: Format, stands: bool) -> None:
    assert (planned(contest(4, format), []).standing(0.5) is not None) == stands


def test_a_plan_does_not_stand_for_long_or_when_it_was_dropped() -> None:
    due = planned(contest(4, RoundRobin()), [])
    assert due.standing(STANDS_SECONDS) is None
    due.drop()
    assert due.standing(0.5) is None
