"""Which games a match has, and where they begin."""

from server.commands.match.setup import games_in_meeting
from tests.server.commands.match.made import setup


def test_two_players_meet_in_pairs_of_every_variant_in_turn() -> None:
    made = setup(games=8, variants=("3 3 3", "4 4 3"))
    assert [(fixture.players, fixture.variant) for fixture in made.fixtures[:4]] == [
        (("ann", "bob"), 0),
        (("bob", "ann"), 0),
        (("ann", "bob"), 1),
        (("bob", "ann"), 1),
    ]
    assert len(made.fixtures) == 8
    assert games_in_meeting(2) == 4


def test_both_games_of_a_pair_have_the_opening_and_each_pair_another_one() -> None:
    made = setup(games=8)
    openings = [made.opening(fixture) for fixture in made.fixtures]
    assert openings[::2] == openings[1::2] and len(set(openings)) == 4
    definition = made.game_definition(made.fixtures[2], openings[2])
    assert definition.position(made.fixtures[2]) == openings[2]


def test_the_first_games_of_a_match_are_those_of_a_longer_one() -> None:
    short, long = setup(games=4), setup(games=12)
    assert long.fixtures[:4] == short.fixtures
    assert [long.opening(one) for one in long.fixtures[:4]] == [short.opening(one) for one in short.fixtures]
    assert long.setting == short.setting, "how many games there are to be is nothing that a game depends on"


def test_every_two_of_several_players_meet_equally_often() -> None:
    made = setup(("a", "b", "c"), games=4)
    pairs = [frozenset(fixture.players) for fixture in made.fixtures]
    assert len(pairs) == 12 and all(pairs.count(pair) == 4 for pair in pairs)
    assert all(made.fixtures[number].swapped == made.fixtures[number + 1] for number in range(0, 12, 2))
