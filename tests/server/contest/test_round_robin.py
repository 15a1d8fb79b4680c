"""Round robins, gauntlets and pairs."""

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from engine.duel import openings
from engine.statistics.elo import MAX_ELO
from server.contest.contest_file import BadContest
from server.contest.definition import DrawnOpenings, Variant
from server.contest.fixtures import Fixture, GameResult
from server.contest.formats.meetings import Gauntlet, Pairs, RoundRobin, berger
from server.contest.openings import BadOpening
from server.contest.plan import Present, plan
from tests.server.contest.played import better_wins, by_seed, contest, final_plan, play
from tests.server.contest.runtime.bots import read_definition

PUBLISHED = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
}
"""Tables of the FIDE Handbook."""


@pytest.mark.parametrize("players", PUBLISHED)
def test_berger_tables_are_the_published_ones(players: int) -> None:
    tables = [" ".join(f"{first + 1}-{second + 1}" for first, second in pairs) for pairs in berger(players)]
    assert tables == PUBLISHED[players]


@given(st.integers(2, 12), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2))
def test_everybody_meets_everybody_as_often_as_is_right(entrants: int, cycles: int, variants: int, pairs: int) -> None:
    definition = contest(entrants, RoundRobin(cycles), variants=variants, pairs=pairs)
    due = plan(definition, []).due
    assert len(set(due)) == len(due)
    begun = Counter((fixture.variant, fixture.players) for fixture in due)
    names = [entrant.name for entrant in definition.entrants]
    expected = {
        (variant, (one, other)): cycles * pairs
        for variant in range(variants)
        for one in names
        for other in names
        if one != other
    }
    assert begun == expected  # so colours are balanced too
    assert {fixture.swapped for fixture in due} == set(due)
    for number in {fixture.round for fixture in due}:
        met = [frozenset(fixture.players) for fixture in due if fixture.round == number]
        assert set(Counter(met).values()) == {2 * variants * pairs}
        assert len(set(met)) == entrants // 2, "everybody, but for an odd one, has one opponent a round"


def test_openings_change_from_pair_to_pair_and_begin_anew_behind_the_last() -> None:
    definition = contest(4, RoundRobin(2), pairs=2)
    due = plan(definition, []).due
    between = [fixture for fixture in due if set(fixture.players) == {"a1", "a2"}]
    assert [(fixture.round, fixture.opening) for fixture in between[::2]] == [(2, 2), (2, 3), (5, 8), (5, 9)]
    assert [definition.position(fixture) for fixture in between[::2]] == ["three", "one", "three", "one"]


@given(st.integers(3, 9), st.integers(1, 3), st.data())
def test_challengers_meet_all_others_and_nobody_else_meets(entrants: int, cycles: int, data: st.DataObject) -> None:
    names = [f"a{number}" for number in range(1, entrants + 1)]
    challengers = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=entrants - 1, unique=True))
    due = plan(contest(entrants, Gauntlet(tuple(challengers), cycles)), []).due
    begun = Counter(fixture.players for fixture in due)
    for one in names:
        for other in names:
            challenged = (one in challengers) != (other in challengers)
            assert begun[one, other] == (cycles if challenged else 0)


def first_loses(fixture: Fixture) -> GameResult:
    return GameResult(fixture, 1, 1 - fixture.players.index("a1"), "line")


def test_every_two_players_meet_in_as_many_games_as_asked_for() -> None:
    definition = contest(3, Pairs(8), variants=2)
    games = play(definition, by_seed(1))
    assert len(games) == 3 * 8
    fixtures = [game.fixture for game in games]
    assert [one.swapped for one in fixtures[::2]] == fixtures[1::2]
    assert final_plan(definition, games).stages[-1].schedule.final is False


def test_the_test_ends_the_match_at_the_same_pair_however_many_games_run() -> None:
    lengths = set()
    for at_once in (1, 2, 5):
        games = play(contest(2, Pairs(200, 0, 100)), better_wins, at_once=at_once)
        decided = final_plan(contest(2, Pairs(200, 0, 100)), games)
        assert decided.stages[-1].schedule.final
        lengths.add(len(decided.stages[0].schedule.fixtures))
    assert len(lengths) == 1 and max(lengths) < 100
    assert len(play(contest(2, Pairs(200, 0, 100)), first_loses)) < 100


def test_games_that_are_played_when_the_test_decides_end_nothing_later() -> None:
    definition = contest(2, Pairs(200, 0, 100))
    games = play(definition, better_wins)
    behind = plan(contest(2, Pairs(200)), []).due
    assert plan(definition, games, Present(frozenset({behind[-1]}))).over


@pytest.mark.parametrize("wrong", ["elo0 = 5", "elo0 = 5\nelo1 = 5", f"elo0 = 5\nelo1 = {MAX_ELO + 1}", ""])
def test_a_wrong_test_is_refused(wrong: str) -> None:
    third = "" if wrong else ', { name = "c" }'
    stage = f'format = "pairs"\ngames = 4\n{wrong or "elo0 = 0.0" + chr(10) + "elo1 = 5.0"}'
    text = f"""name = "x"\ntime = {{ budget = 1000 }}\nentrants = [{{ name = "a" }}, {{ name = "b" }}{third}]
games = [{{ game = "mnk" }}]\n[[stages]]\n{stage}\n"""
    with pytest.raises(BadContest, match=r"elo|test"):
        read_definition(text)


@pytest.mark.slow
def test_openings_are_drawn_again_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "TRIES", 500)
    variant = Variant("mnk", "3 3 3", drawn=DrawnOpenings(2, 7))
    positions = [variant.position(number) for number in range(200)]
    assert len(set(positions)) == 72, "with two plies there are so many"
    assert positions[72:144] == positions[:72] and variant.number(100) == 101
    assert [variant.position(number) for number in range(5)] == positions[:5]
    with pytest.raises(BadOpening, match="goes on after"):
        Variant("mnk", "3 3 3", drawn=DrawnOpenings(9, 7)).position(0)
