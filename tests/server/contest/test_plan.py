from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.games.outcome import Termination
from server.contest.definition import Format, Qualification, Seeding
from server.contest.fixtures import FORFEIT, QUALIFICATION, Fixture, GameResult, counted_games
from server.contest.formats.knockout import Knockout
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, Pairs, RoundRobin
from server.contest.formats.swiss import Swiss
from server.contest.plan import Present, plan, shuffled
from server.contest.standings import standings
from tests.server.contest.played import CONTROL, better_wins, by_seed, contest, final_plan, play

formats = st.sampled_from(
    [
        RoundRobin(1),
        RoundRobin(2),
        Swiss(3),
        Gauntlet(("a1", "a4")),
        Knockout(tie_breaks=1, control=CONTROL),
        Ladder(12, 0),
        Pairs(4),
    ]
)


@settings(max_examples=25)
@given(st.lists(formats, min_size=1, max_size=2), st.integers(4, 6), st.integers(0, 10**6))
def test_any_moment_is_taken_up_from_the_finished_games_alone(stages: list[Format], entrants: int, seed: int) -> None:
    """A server that dies loses what was running; what is played then completes the same contest."""
    definition = contest(entrants, *stages, advance=4, time_losses=3)
    chance = Random(seed)
    names = tuple(entrant.name for entrant in definition.entrants)
    result = by_seed(seed, late=0.5, slow="a3")
    games: list[GameResult] = []
    running: set[Fixture] = set()
    seen = set()
    while True:
        if chance.random() < 0.3:
            running.clear()
        now = plan(definition, games, Present(frozenset(running), names))
        again = plan(definition, list(games), Present(frozenset(running), names))
        assert now == again
        games += now.forfeited
        if now.over:
            break
        assert now.due or running, "there is always something to play before the end"
        assert not set(now.due) & {game.fixture for game in games}
        running |= set(now.due[: chance.randrange(4)])
        if running:
            fixture = chance.choice(sorted(running))
            running.remove(fixture)
            assert fixture not in seen, "no game is played twice"
            seen.add(fixture)
            games.append(result(fixture))
    fixtures = {fixture for stage in now.stages for fixture in stage.schedule.fixtures}
    assert fixtures == {game.fixture for game in games}


def test_a_round_in_which_games_are_forfeited_waits_for_those_that_run() -> None:
    """What will be known of a running game is not known yet: nobody is paired before."""
    definition = contest(4, Swiss(2), time_losses=1)
    due = plan(definition, []).due
    lost = GameResult(due[0], 1, 1, Termination.TIME)
    assert due[0].players == ("a1", "a3")
    now = plan(definition, [lost], Present(frozenset(due[1:2])))
    assert now.forfeited == ()
    assert now.due == due[2:]
    now = plan(definition, [lost])
    (forfeit,) = now.forfeited
    assert forfeit == GameResult(due[1], None, 0, FORFEIT, "a1 had been disqualified")


def test_annulled_games_are_played_again_and_second_results_do_not_count() -> None:
    definition = contest(2, RoundRobin())
    due = plan(definition, []).due
    annulled = GameResult(due[0], 1, None, Termination.SERVER_STOP)
    assert plan(definition, [annulled]).due == due
    first, second = better_wins(due[0]), GameResult(due[0], 3, 1, "line")
    assert counted_games([annulled, first, second]) == [first]
    assert plan(definition, [annulled, first]).due == due[1:]


def test_best_of_a_stage_go_on_in_the_order_of_its_table() -> None:
    definition = contest(6, RoundRobin(), Knockout(tie_breaks=1, control=CONTROL), advance=4)

    def worse_wins(fixture: Fixture) -> GameResult:
        return better_wins(fixture.swapped)._replace(fixture=fixture)

    games = play(definition, worse_wins)
    first, second = final_plan(definition, games).stages
    assert second.players == ("a6", "a5", "a4", "a3")
    assert {frozenset(game.fixture.players) for game in games if game.fixture.stage == 1} == {
        frozenset(("a6", "a3")), frozenset(("a5", "a4")), frozenset(("a6", "a5"))
    }  # fmt: skip
    assert standings(definition, 1, second.players, games, second.schedule.byes)[0].name == "a6"
    assert [line.name for line in standings(definition, 0, first.players, games)] == [f"a{n}" for n in range(6, 0, -1)]


def test_disqualified_do_not_go_on() -> None:
    definition = contest(4, RoundRobin(), Knockout(tie_breaks=1, control=CONTROL), advance=2, time_losses=1)
    games = play(definition, by_seed(1, late=1.0, slow="a1"))
    assert "a1" not in final_plan(definition, games).stages[1].players
    assert len(final_plan(definition, games).stages[1].players) == 2


def test_seed_draws_the_order_of_entrants_where_it_is_by_lot() -> None:
    orders = set()
    for seed in range(20):
        definition = replace(contest(5, RoundRobin(), seed=seed), seeding=Seeding.CHANCE)
        players = plan(definition, []).stages[0].players
        assert sorted(players) == ["a1", "a2", "a3", "a4", "a5"]
        assert players == plan(definition, []).stages[0].players
        orders.add(players)
    assert len(orders) > 10


def test_lots_are_even() -> None:
    first = [shuffled("abc", seed)[0] for seed in range(3000)]
    assert all(900 < first.count(letter) < 1100 for letter in "abc")


RULES = Qualification(("random",), CONTROL, pairs=2, time_losses=2, bad_moves=1)


def faulty(fixture: Fixture) -> GameResult:
    """Let a2 hang, a3 be late in each second game, a4 be late once, and a5 play a wrong move."""
    name = next((player for player in fixture.players if player != "random"), "")
    side = fixture.players.index(name)
    ready = (side == 1, side == 0)
    if fixture.stage == QUALIFICATION:
        if name == "a2" and fixture.pair == 0 and side == 0:
            return GameResult(fixture, 5, 1 - side, Termination.TIME, "out of time", ready=ready)
        if (name == "a3" and side == 1) or (name == "a4" and side == fixture.pair == 0):
            return GameResult(fixture, 6 + fixture.pair, 1 - side, Termination.TIME, "late")
        if name == "a5" and fixture.pair == 1:
            return GameResult(fixture, 8, 1 - side, Termination.BAD_MOVE, "a5 played 'x'")
    return by_seed(1)(fixture)


def test_qualification_lets_in_those_who_play_and_stops_as_soon_as_somebody_is_out() -> None:
    definition = contest(5, RoundRobin(), qualification=RULES)
    due = plan(definition, []).due
    assert len(due) == 5 * 4
    assert {fixture.players for fixture in due if "a1" in fixture.players} == {("a1", "random"), ("random", "a1")}
    games = play(definition, faulty)
    (before, contest_stage) = final_plan(definition, games).stages
    assert before.number == QUALIFICATION
    assert contest_stage.players == ("a1", "a4")
    assert [game.fixture.players for game in games if game.fixture.stage == 0] == [("a1", "a4"), ("a4", "a1")]
    of_a2 = [game for game in games if "a2" in game.fixture.players]
    assert len(of_a2) == 1, "who has hung has hung"
    assert not any(game.termination == FORFEIT for game in games)


def test_contest_without_anybody_left_is_over() -> None:
    definition = contest(2, Knockout(tie_breaks=1, control=CONTROL), RoundRobin(), qualification=RULES)

    def hang(fixture: Fixture) -> GameResult:
        return GameResult(fixture, 1, None, Termination.TIME, ready=(False, False))

    games = play(definition, hang)
    assert len(games) == 2
    assert [state.players for state in final_plan(definition, games).stages[1:]] == [(), ()]
    for format in (Swiss(1), Gauntlet(("a1",)), Ladder(2, 0)):
        assert len(play(contest(2, format, qualification=RULES), hang)) == 2
