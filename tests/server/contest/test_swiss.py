from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given, strategies as st

from server.contest.fixtures import Bye, GameResult
from server.contest.formats.rounds import EarlierRounds, Swiss, pair
from server.contest.plan import plan
from server.contest.scoring import find_disqualified
from tests.server.contest.played import better_wins, by_seed, contest, final_plan, play


def rounds_of(games: Sequence[GameResult]) -> list[set[frozenset[str]]]:
    """Return who met whom, round by round."""
    last = max(game.fixture.round for game in games)
    return [
        {frozenset(game.fixture.players) for game in games if game.fixture.round == number}
        for number in range(1, last + 1)
    ]


def can_all_meet(players: list[str], met: set[frozenset[str]], byes: set[str]) -> bool:
    """Tell, by trying all, whether a round without a second meeting or bye exists."""
    if not players:
        return True
    first, *others = players
    if len(players) % 2 == 1:
        for name in players:
            if name not in byes and can_all_meet([other for other in players if other != name], met, byes):
                return True
        return False
    return any(
        frozenset((first, other)) not in met and can_all_meet([name for name in others if name != other], met, byes)
        for other in others
    )


@given(st.integers(2, 9), st.integers(1, 8), st.integers(0, 10**6), st.sampled_from([0.0, 0.6]))
def test_nobody_meets_anybody_twice_or_has_two_byes_where_it_can_be_avoided(
    entrants: int, rounds: int, seed: int, late: float
) -> None:
    definition = contest(entrants, Swiss(rounds), time_losses=2)
    games = play(definition, by_seed(seed, late=late, slow="a2"))
    byes = final_plan(definition, games).stages[0].schedule.byes
    met: Counter[frozenset[str]] = Counter()
    had: Counter[str] = Counter()
    for number, pairs in enumerate(rounds_of(games), 1):
        before = [game for game in games if game.fixture.round < number]
        playing = [f"a{n}" for n in range(1, entrants + 1) if f"a{n}" not in find_disqualified(definition, before)]
        avoidable = can_all_meet(playing, set(met), set(had))
        without = [bye.name for bye in byes if bye.round == number]
        assert len(pairs) == len(playing) // 2
        assert sorted([name for names in pairs for name in names] + without) == sorted(playing)
        assert not avoidable or not (pairs & set(met) or set(without) & set(had))
        met.update(pairs)
        had.update(without)


def test_first_round_is_upper_half_against_lower_half() -> None:
    due = plan(contest(8, Swiss(3)), []).due
    assert [fixture.players for fixture in due[::2]] == [("a1", "a5"), ("a6", "a2"), ("a3", "a7"), ("a8", "a4")]


def test_byes_go_to_the_last_who_had_none() -> None:
    definition = contest(5, Swiss(4))
    games = play(definition, better_wins)
    byes = final_plan(definition, games).stages[0].schedule.byes
    assert byes[0] == Bye(1, "a5")
    assert len({bye.name for bye in byes}) == 4


def test_who_is_out_is_not_paired_any_more_and_its_opponent_of_the_round_wins() -> None:
    definition = contest(6, Swiss(3), time_losses=1)
    games = play(definition, by_seed(4, late=1.0, slow="a3"))
    with_a3 = [game for game in games if "a3" in game.fixture.players]
    assert [(game.fixture.round, game.played) for game in with_a3] == [(1, True), (1, False)]
    assert all(game.fixture.players[game.winner or 0] != "a3" for game in with_a3)


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_scores_of_those_who_meet_are_as_near_as_they_can_be(players: int, chance: Random) -> None:
    """Where nobody has met, all that matters is the score: of those in order, neighbours differ least."""
    names = tuple(f"a{number}" for number in range(2 * (players // 2)))
    score = {name: chance.randrange(9) / 2 for name in names}
    pairs, left_over = pair(names, EarlierRounds(tuple(score.values()), frozenset(), ()))
    ordered = sorted(score.values())
    least = sum((lower - upper) ** 2 for lower, upper in zip(ordered[::2], ordered[1::2], strict=True))
    assert left_over is None
    assert sum((score[one] - score[other]) ** 2 for one, other in pairs) == least
