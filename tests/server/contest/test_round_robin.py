from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.contest.formats.round_robin import Gauntlet, RoundRobin, berger
from server.contest.plan import plan
from tests.server.contest.played import contest

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


def test_who_begins_a_meeting_changes_from_cycle_to_cycle() -> None:
    for format in (RoundRobin(3), Gauntlet(("a1",), 3)):
        due = plan(contest(4, format), []).due
        begun = [fixture.players for fixture in due if set(fixture.players) == {"a1", "a2"}][::2]
        assert begun == [begun[0], begun[0][::-1], begun[0]]


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
