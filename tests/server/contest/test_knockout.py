from random import Random

from hypothesis import given, strategies as st
from msgspec.structs import replace

from engine.match.clock import TimeControl
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.rounds import Knockout, seeds
from server.contest.scoring import standings
from tests.server.contest.played import CONTROL, by_seed, contest, final_plan, play

SHORT = TimeControl(100_000)
FORMAT = Knockout(tie_breaks=2, control=SHORT)


def test_bracket_keeps_the_best_apart() -> None:
    assert seeds(1) == [0]
    assert seeds(2) == [0, 1]
    assert seeds(4) == [0, 3, 1, 2]
    assert seeds(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert seeds(5) == seeds(8)


@given(st.integers(2, 17), st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.7]))
def test_one_winner_comes_out_and_everybody_else_loses_one_meeting(
    entrants: int, seed: int, draws: float, late: float
) -> None:
    definition = contest(entrants, FORMAT, time_losses=2)
    games = play(definition, by_seed(seed, draws, late, slow="a1"), Random(seed), at_once=3)
    (state,) = final_plan(definition, games).stages
    table = standings(definition, 0, state.players, games, state.schedule.byes)
    meetings = {(game.fixture.round, frozenset(game.fixture.players)) for game in games}
    assert len(meetings) == entrants - 1
    assert table[0].place == 1 < table[1].place
    rounds = max(number for number, _ in meetings)
    assert 2 ** (rounds - 1) < entrants <= 2**rounds
    for number, names in meetings:
        assert sum(names & others != set() for later, others in meetings if later == number + 1) == (number < rounds)
    assert len(state.schedule.byes) == 2**rounds - entrants
    assert all(bye.round == 1 for bye in state.schedule.byes)


def test_even_meetings_go_on_pair_by_pair_with_their_own_time_and_openings() -> None:
    definition = contest(2, FORMAT, variants=2)

    def result(fixture: Fixture) -> GameResult:
        return GameResult(fixture, None, None, "repetition")

    games = play(definition, result)
    assert [(game.fixture.pair, game.fixture.variant, game.fixture.opening) for game in games[::2]] == [
        (0, 0, 0), (0, 1, 0), (1, 0, 1), (2, 1, 2)
    ]  # fmt: skip
    assert [definition.control(game.fixture) for game in games[::2]] == [CONTROL, CONTROL, SHORT, SHORT]
    assert standings(definition, 0, ("a1", "a2"), games)[0].name == "a1", "the better seed goes on in the end"


def test_a_tie_is_broken_by_the_first_pair_that_is_not_even() -> None:
    definition = contest(2, FORMAT)

    def result(fixture: Fixture) -> GameResult:
        winner = fixture.players.index("a2") if fixture.pair == 1 else 0
        return GameResult(fixture, None, winner, "line")

    games = play(definition, result)
    assert [game.fixture.pair for game in games] == [0, 0, 1, 1]
    assert standings(definition, 0, ("a1", "a2"), games)[0].name == "a2"


@given(st.integers(2, 9), st.integers(0, 10**6), st.sampled_from([0.0, 0.7]))
def test_losers_of_the_semi_finals_meet_for_the_third_place(entrants: int, seed: int, late: float) -> None:
    definition = contest(entrants, replace(FORMAT, third_place=True), time_losses=2)
    games = play(definition, by_seed(seed, 0.3, late, slow="a1"), Random(seed), at_once=3)
    (state,) = final_plan(definition, games).stages
    table = standings(definition, 0, state.players, games, state.schedule.byes)
    meetings = {(game.fixture.round, frozenset(game.fixture.players)) for game in games}
    assert len(meetings) == entrants - 1 + (entrants > 3)
    last = max(number for number, _ in meetings)
    finals = [names for number, names in meetings if number == last]
    if entrants > 3:
        assert finals[0].isdisjoint(finals[1])
        if not any(line.disqualified for line in table):
            assert [line.place for line in table[:4]] == [1, 2, 3, 4]
            halves = {frozenset(line.name for line in table[:2]), frozenset(line.name for line in table[2:4])}
            assert halves == set(finals)
