import pytest

from engine.games.outcome import Termination
from server.contest.fixtures import FORFEIT, Bye, Fixture, GameResult
from server.contest.formats.ladder import Ladder
from server.contest.formats.round_robin import Gauntlet, RoundRobin
from server.contest.formats.swiss import Swiss
from server.contest.plan import plan
from server.contest.standings import crosstable, standings
from tests.server.contest.played import better_wins, by_seed, contest, final_plan, play

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


def test_the_table_of_a_contest_without_a_game_has_the_numbers_that_its_report_is_read_with() -> None:
    lines = standings(contest(4, RoundRobin()), 0, NAMES, [])
    assert {type(line.sonneborn_berger) for line in lines} == {float}, "a file of the report would be another one"


def test_buchholz_counts_each_opponent_once_and_a_bye_as_oneself() -> None:
    table = standings(contest(4, Swiss(3)), 0, NAMES, FIVE, [Bye(5, "a4")])
    found = {line.name: (line.points, line.buchholz, line.byes) for line in table}
    # a bye is worth the two games of a meeting
    assert found == {"a1": (1.5, 3.0, 0), "a2": (1.5, 3.0, 0), "a3": (1.5, 5.5, 0), "a4": (2.5, 4.0, 1)}
    assert [line.name for line in table] == ["a4", "a3", "a1", "a2"]


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


def test_rows_of_the_crosstable_mirror_each_other() -> None:
    definition = contest(5, RoundRobin(2), variants=2)
    games = play(definition, by_seed(1))
    names = tuple(entrant.name for entrant in definition.entrants)
    table = crosstable(names, games)
    for one in names:
        assert list(table[one]) == [name for name in names if name != one]
        for other, cell in table[one].items():
            mirror = table[other][one]
            assert cell.games == mirror.games and len(cell.games) == 8
            assert (cell.wins, cell.draws, cell.losses) == (mirror.losses, mirror.draws, mirror.wins)
            assert cell.points == cell.wins + cell.draws / 2 == 8 - mirror.points


def test_points_of_all_add_up_to_the_games() -> None:
    for format in (RoundRobin(), Swiss(3)):
        definition = contest(6, format, time_losses=2)
        games = play(definition, by_seed(5, late=0.7, slow="a2"))
        (state,) = final_plan(definition, games).stages
        table = standings(definition, 0, state.players, games, state.schedule.byes)
        byes = 2 * len(state.schedule.byes)
        assert sum(line.points for line in table) == len(games) + byes
        assert sum(line.games for line in table) == 2 * sum(game.played for game in games)
