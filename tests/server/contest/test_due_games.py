from msgspec.structs import replace

from server.contest.definition import Entrant, Qualification
from server.contest.fixtures import Fixture
from server.contest.formats.round_robin import RoundRobin
from server.contest.plan import games_to_start, plan
from tests.server.contest.played import CONTROL, contest

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
