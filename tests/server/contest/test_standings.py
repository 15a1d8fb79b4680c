"""Tables, and the plan of what is to be played."""

from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from engine.games.interface import Termination
from server.contest.definition import Format, Qualification, Seeding
from server.contest.fixtures import FORFEIT, QUALIFICATION, SET_ASIDE, Bye, Fixture, GameResult, counted_games
from server.contest.formats.meetings import Gauntlet, Ladder, Pairs, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.plan import Present, plan
from server.contest.report.contents import crosstable
from server.contest.scoring import standings
from tests.server.contest.played import CONTROL, better_wins, by_seed, contest, final_plan, play

NAMES = ("a1", "a2", "a3", "a4")


def game(first: str, second: str, result: str, round: int = 1, used: tuple[int, int] = (0, 0)) -> GameResult:
    """Return a game with a result as 1-0, 0-1 or half."""
    winner = {"1-0": 0, "0-1": 1, "half": None}[result]
    return GameResult(Fixture(0, round, 0, 0, 0, (first, second)), 1, winner, "line", used=used)


FIVE = [
    game("a1", "a2", "1-0", 1, (30, 40)),
    game("a2", "a1", "half", 1, (5, 70)),
    game("a3", "a1", "1-0", 2),
    game("a2", "a3", "1-0", 3),
    game("a4", "a3", "half", 4),
]
"""Points: a1 1.5, a2 1.5, a3 1.5, a4 0.5."""


def test_table_of_a_round_robin_computed_by_hand() -> None:
    table = {line.name: line for line in standings(contest(4, RoundRobin()), 0, NAMES, FIVE)}
    assert {name: line.points for name, line in table.items()} == {"a1": 1.5, "a2": 1.5, "a3": 1.5, "a4": 0.5}
    # a1: 1.5 against a2; a2: half of a1 and all of a3; a3: all of a1 and half of a4
    sonneborn_berger = {"a1": 2.25, "a2": 2.25, "a3": 1.75, "a4": 0.75}
    assert {name: line.sonneborn_berger for name, line in table.items()} == sonneborn_berger
    assert [(line.place, line.name) for line in table.values()] == [(1, "a1"), (1, "a2"), (3, "a3"), (4, "a4")]
    assert {name: (line.wins, line.draws, line.losses, line.games) for name, line in table.items()} == {
        "a1": (1, 1, 1, 3), "a2": (1, 1, 1, 3), "a3": (1, 1, 1, 3), "a4": (0, 1, 0, 1)
    }  # fmt: skip
    assert (table["a1"].used, table["a1"].longest, table["a1"].firsts) == (100, 70, 1)
    assert (table["a2"].used, table["a2"].longest, table["a2"].firsts) == (45, 40, 2)


def test_buchholz_counts_each_opponent_once_and_a_bye_as_oneself() -> None:
    table = standings(contest(4, Swiss(3)), 0, NAMES, FIVE, [Bye(5, "a4")])
    found = {line.name: (line.points, line.buchholz, line.byes) for line in table}
    # a bye is worth the two games of a meeting
    assert found == {"a1": (1.5, 3.0, 0), "a2": (1.5, 3.0, 0), "a3": (1.5, 5.5, 0), "a4": (2.5, 4.0, 1)}
    assert [line.name for line in table] == ["a4", "a3", "a1", "a2"]


def test_a_bye_of_a_knockout_is_worth_no_points() -> None:
    table = standings(contest(4, Knockout(control=CONTROL)), 0, NAMES, [], [Bye(1, "a4")])
    assert {line.name: (line.points, line.byes) for line in table} == {name: (0, name == "a4") for name in NAMES}


def test_buchholz_goes_before_sonneborn_berger_in_a_swiss() -> None:
    names = ("a2", "a1", "a3", "a4", "a5", "a6")
    games = [
        game("a5", "a1", "1-0"),
        game("a1", "a3", "1-0", 2),
        game("a5", "a3", "1-0", 3),
        game("a5", "a3", "1-0", 4),
    ]
    games += [game("a4", "a2", "1-0"), game("a2", "a6", "1-0", 2), game("a6", "a3", "1-0", 5)]
    table = {line.name: line for line in standings(contest(6, Swiss(5)), 0, names, games)}
    assert table["a1"].points == table["a2"].points == 1
    assert (table["a1"].buchholz, table["a2"].buchholz) == (3, 2)
    assert (table["a1"].sonneborn_berger, table["a2"].sonneborn_berger) == (0, 1)
    assert table["a1"].place < table["a2"].place


RESULTS = st.tuples(
    st.permutations(NAMES).map(lambda names: (names[0], names[1])),
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["line", "line", Termination.TIME, FORFEIT, SET_ASIDE]),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
)


@given(st.lists(RESULTS, max_size=15), st.sampled_from([(), (Bye(3, "a2"),), (Bye(3, "a2"), Bye(5, "a2"))]))
def test_every_figure_of_a_table_is_counted_from_the_games(results: list[Any], byes: tuple[Bye, ...]) -> None:
    games = [
        GameResult(Fixture(0, number // 3, 0, number, 0, players), 1, winner, termination, used=used)
        for number, (players, winner, termination, used) in enumerate(results)
    ]
    table = standings(contest(4, Swiss(3)), 0, NAMES, games, byes)
    numbers = {one.fixture: number for number, one in enumerate(games)}
    table_of = dict(zip(NAMES, crosstable(NAMES, games, numbers), strict=True))
    rows = {
        name: {other: cell for other, cell in zip(NAMES, row, strict=True) if cell} for name, row in table_of.items()
    }
    points = {name: 2.0 * sum(bye.name == name for bye in byes) for name in NAMES}
    for one in games:
        for side, name in enumerate(one.fixture.players):
            halves = one.winner is None and one.termination != FORFEIT
            points[name] += 0.5 if halves else one.winner == side
    for line in table:
        sides = [(one, one.fixture.players.index(line.name)) for one in games if line.name in one.fixture.players]
        played = [(one, side) for one, side in sides if one.termination not in (FORFEIT, SET_ASIDE)]
        others = [(one, side) for one, side in sides if one.termination in (FORFEIT, SET_ASIDE)]
        won = [one.winner == side for one, side in played]
        lost = [one.winner == 1 - side for one, side in played]
        assert line.points == points[line.name]
        assert (line.games, line.wins, line.losses) == (len(played), sum(won), sum(lost))
        assert line.draws == len(played) - sum(won) - sum(lost)
        assert line.forfeits_won == sum(one.winner == side for one, side in others)
        neither = sum(one.winner is None and one.termination == FORFEIT for one, _ in others)
        assert line.forfeits_lost == sum(one.winner == 1 - side for one, side in others) + neither
        assert line.firsts == sum(side == 0 for _, side in played)
        used = [one.used[side] for one, side in played]
        assert (line.used, line.longest) == (sum(used), max([*used, 0]))
        assert line.time_losses == sum(
            one.termination == Termination.TIME and one.winner != side for one, side in played
        )
        met = {(one.fixture.players[1 - side], one.fixture.round) for one, side in sides}
        byes_of = sum(bye.name == line.name for bye in byes)
        assert line.byes == byes_of
        assert line.buchholz == sum(points[name] for name, _ in met) + byes_of * points[line.name]
        assert line.sonneborn_berger == sum(cell.points * points[other] for other, cell in rows[line.name].items())
        for other, cell in rows[line.name].items():
            mine = [(one, side) for one, side in sides if other in one.fixture.players]
            assert list(cell.games) == [numbers[one.fixture] for one, _ in mine]
            assert cell.wins == sum(one.winner == side for one, side in mine)
            assert cell.wins + cell.draws + cell.losses == len(mine)
            assert cell.points == cell.wins + cell.draws / 2
            assert rows[other][line.name].wins <= cell.losses
    marks = [(line.points, line.buchholz, line.sonneborn_berger, line.wins + line.forfeits_won) for line in table]
    assert marks == sorted(marks, reverse=True)
    assert [line.place for line in table] == [1 + sum(other > mark for other in marks) for mark in marks]


def test_forfeits_give_points_and_count_as_no_games() -> None:
    forfeit = GameResult(Fixture(0, 1, 0, 0, 0, ("a1", "a2")), None, 0, FORFEIT)
    neither = GameResult(Fixture(0, 1, 0, 0, 0, ("a3", "a2")), None, None, FORFEIT)
    table = {line.name: line for line in standings(contest(4, RoundRobin()), 0, NAMES, [forfeit, neither])}
    assert (
        table["a1"].points,
        (table["a1"].forfeits_won, table["a1"].forfeits_lost),
        table["a1"].games,
        table["a1"].firsts,
    ) == (1, (1, 0), 0, 0)
    assert (table["a2"].points, (table["a2"].forfeits_won, table["a2"].forfeits_lost), table["a2"].losses) == (
        0,
        (0, 2),
        0,
    )
    assert (table["a3"].points, (table["a3"].forfeits_won, table["a3"].forfeits_lost), table["a3"].draws) == (
        0,
        (0, 1),
        0,
    )


def test_who_was_disqualified_comes_last() -> None:
    definition = contest(4, RoundRobin(2), time_losses=2)
    first, second = [f for f in plan(definition, []).due if "a1" in f.players][-2:]
    late = [GameResult(f, 1, 1 - f.players.index("a1"), Termination.TIME) for f in (first, second)]
    won = [better_wins(f) for f in plan(definition, late).due if "a1" in f.players]
    assert won == []
    before = [better_wins(f) for f in plan(definition, []).due if "a1" in f.players and f not in (first, second)]
    table = standings(definition, 0, NAMES, before + late)
    assert (table[-1].name, table[-1].place, table[-1].time_losses) == ("a1", 4, 2)
    assert table[-1].disqualified and table[-1].points > table[0].points


@pytest.mark.parametrize("format", [RoundRobin(2), Swiss(4), Gauntlet(("a3",), 2), Ladder(40, 0)])
def test_the_better_one_is_always_further_up(format: RoundRobin | Swiss | Gauntlet | Ladder) -> None:
    definition = contest(5, format, variants=2)
    games = play(definition, better_wins)
    (state,) = final_plan(definition, games).stages
    table = standings(definition, 0, state.players, games, state.schedule.byes)
    assert [line.name for line in table] == ["a1", "a2", "a3", "a4", "a5"]
    places = [line.place for line in table]
    if isinstance(format, Gauntlet):  # a1 and a2 have both won all games against a3, and met nobody else
        assert places == [1, 1, 3, 4, 4]
    elif not isinstance(format, Swiss):
        assert places == [1, 2, 3, 4, 5]


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


events = st.tuples(st.booleans(), st.integers(1, 3), st.integers(0, 2))
"""Whether the server dies; how many games begin; which one of those that run ends."""


@given(
    st.lists(formats, min_size=1, max_size=2), st.integers(4, 5), st.integers(0, 10**6), st.lists(events, min_size=1)
)
def test_any_moment_is_taken_up_from_the_finished_games_alone(
    stages: list[Format], entrants: int, seed: int, moments: list[tuple[bool, int, int]]
) -> None:
    """A server that dies loses what was running; what is played then completes the same contest."""
    definition = contest(entrants, *stages, advance=4, time_losses=3)
    names = tuple(entrant.name for entrant in definition.entrants)
    result = by_seed(seed, late=0.5, slow="a3")
    games: list[GameResult] = []
    running: set[Fixture] = set()
    seen = set()
    for dies, begin, ends in cycle(moments):
        if dies:
            running.clear()
        now = plan(definition, games, Present(frozenset(running), names))
        games += now.forfeited
        if now.over:
            break
        assert now.due or running, "there is always something to play before the end"
        assert not set(now.due) & {game.fixture for game in games}
        running |= set(now.due[:begin])
        if running:
            fixture = sorted(running)[ends % len(running)]
            running.remove(fixture)
            assert fixture not in seen, "no game is played twice"
            seen.add(fixture)
            games.append(result(fixture))
    fixtures = {fixture for stage in now.stages for fixture in stage.schedule.fixtures}
    assert fixtures == {game.fixture for game in games}


def test_a_round_in_which_games_are_forfeited_waits_for_those_that_run() -> None:
    """The result of a running game is not known yet: nobody is paired before."""
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
