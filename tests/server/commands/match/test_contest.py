"""A match as a contest: which games it has, and where they begin."""

from server.contest.plan import plan
from tests.server.commands.match.made import setup


def test_the_schedule_is_that_of_the_contest() -> None:
    made = setup(games=8, variants=("3 3 3", "4 4 3"))
    assert [(fixture.players, fixture.variant) for fixture in made.fixtures[:4]] == [
        (("ann", "bob"), 0),
        (("bob", "ann"), 0),
        (("ann", "bob"), 1),
        (("bob", "ann"), 1),
    ]
    assert made.fixtures == plan(made.definition, []).due and len(made.fixtures) == 8
    openings = [made.definition.position(fixture) for fixture in made.fixtures]
    assert openings[::2] == openings[1::2] and len(set(openings)) == 4, "each pair has another opening"


def test_the_first_games_of_a_match_are_those_of_a_longer_one() -> None:
    short, long = setup(games=4), setup(games=12)
    assert long.fixtures[:4] == short.fixtures
    assert long.setting == short.setting, "no game depends on the number of games"
