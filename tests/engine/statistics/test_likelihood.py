"""Ratings and their intervals: against a likelihood that is written down once more, and climbed by trying."""

import math
from collections.abc import Sequence
from itertools import permutations

import numpy
import pytest

from engine.statistics.elo import ELO, Rating, Ratings
from engine.statistics.likelihood import Result, Vector, aggregate, covariance, fit, likelihood, ratings, strengths

NAMES = ("a1", "a2", "a3", "a4", "a5", "a6")


def fixtures(players: int, cycles: int, variant: int = 0) -> list[tuple[str, str, int]]:
    """Return so many games of each player against each other one in either order."""
    return [(*pair, variant) for _ in range(cycles) for pair in permutations(NAMES[:players], 2)]


def chances(difference: float, drawish: float) -> list[float]:
    """Return how likely a win, a draw and a loss of who begins are."""
    parts = [math.exp(difference / 2), math.exp(drawish), math.exp(-difference / 2)]
    return [part / sum(parts) for part in parts]


def drawn_by(
    chance: numpy.random.Generator,
    fixtures: Sequence[tuple[str, str, int]],
    elo: dict[str, float],
    first: float,
    drawish: float,
) -> list[Result]:
    """Return results as the model has them: each game by itself."""
    games: list[Result] = []
    for (one, other, variant), number in zip(fixtures, chance.random(len(fixtures)), strict=True):
        win, draw, _ = chances((elo[one] - elo[other] + first) / ELO, drawish)
        games.append((one, other, variant, 0 if number < win else None if number < win + draw else 1))
    return games


Values = tuple[dict[str, float], list[float], list[float]]
"""Strengths, advantages and drawishnesses, in natural units."""


def log_likelihood(games: Sequence[Result], values: Values) -> float:
    """Return the logarithm of the likelihood, written down once more, virtual games included."""
    strength, advantage, drawish = values
    total = 0.0
    for one, other, variant, winner in games:
        parts = chances(strength[one] - strength[other] + advantage[variant], drawish[variant])
        total += math.log(parts[1 if winner is None else 2 * winner])
    average = sum(strength.values()) / len(strength)
    odds = [value - average for value in strength.values()] + advantage + [value - math.log(2) for value in drawish]
    for value in odds:
        win = 1 / (1 + math.exp(-value))
        total += (math.log(win) + math.log(1 - win)) / 2
    return total


def climbed(games: Sequence[Result], values: Values, held: Sequence[str] = ()) -> float:
    """Return the largest likelihood near some values, by trying; strengths of those who are held stay what they are."""
    flat = [*values[0].values(), *values[1], *values[2]]
    free = [place for place, name in enumerate(values[0]) if name not in held] + list(range(len(values[0]), len(flat)))

    def height() -> float:
        numbers = iter(flat)
        parts = ({name: next(numbers) for name in values[0]}, [next(numbers) for _ in values[1]], list(numbers))
        return log_likelihood(games, parts)

    best = height()
    step = 0.5
    while step > 1e-5:
        better = False
        for place in free:
            for change in (step, -step):
                flat[place] += change
                found = height()
                if found > best + 1e-12:
                    best, better = found, True
                else:
                    flat[place] -= change
        if not better:
            step /= 2
    return best


def interval(rating: Rating) -> tuple[float, float]:
    """Return the ends of an interval, which is there."""
    assert rating.low is not None and rating.high is not None
    return rating.low, rating.high


def values_of(found: Ratings) -> Values:
    strength = {rating.name: rating.elo / ELO for rating in found.table}
    drawish = [math.log(2 * part / (1 - part)) for part in found.draws]
    return strength, [value / ELO for value in found.advantage], drawish


def some_games(players: int = 3, variants: int = 1) -> list[Result]:
    """Return games of which the first player is far ahead."""
    games = [game for variant in range(variants) for game in fixtures(players, 3, variant)]
    return drawn_by(numpy.random.default_rng(4), games, {"a1": 300, "a2": 0, "a3": -100}, 50, -0.5)


@pytest.mark.parametrize("variants", [1, 2])
def test_ratings_are_the_most_likely_ones(variants: int) -> None:
    games = some_games(variants=variants)
    found = ratings(games, ["a1", "a2", "a3"], variants)
    assert sum(rating.elo for rating in found.table) == pytest.approx(0, abs=1e-5)
    assert {rating.games for rating in found.table} == {12 * variants}
    here = log_likelihood(games, values_of(found))
    assert climbed(games, values_of(found)) == pytest.approx(here, abs=1e-6)


def test_interval_ends_where_the_results_are_less_likely_by_the_limit_of_chi_squared() -> None:
    games = some_games(players=2)
    found = ratings(games, ["a1", "a2"], 1)
    best = log_likelihood(games, values_of(found))
    for end in interval(found.table[0]):
        _, advantage, drawish = values_of(found)
        there = climbed(games, ({"a1": end / ELO, "a2": -end / ELO}, advantage, drawish), held=("a1", "a2"))
        assert 2 * (best - there) == pytest.approx(3.8415, abs=0.01)


def test_who_has_won_everything_has_a_rating_and_an_interval() -> None:
    games: list[Result] = [(one, other, variant, int(other < one)) for one, other, variant in fixtures(3, 2)]
    found = ratings(games, ["a1", "a2", "a3"], 1)
    assert [rating.name for rating in found.table] == ["a1", "a2", "a3"]
    elo, (low, high) = found.table[0].elo, interval(found.table[0])
    assert 100 < low < elo < high < 5000
    assert high - elo > elo - low, "nobody knows how much stronger it is"


def test_without_games_everybody_is_equal_and_nothing_is_sure() -> None:
    found = ratings([], ["a1", "a2"], 1)
    for rating in found.table:
        assert rating.elo == pytest.approx(0)
        low, high = interval(rating)
        assert low < -500 and high > 500
        assert rating.games == 0
    (alone,) = ratings([], ["a1"], 1).table
    assert (alone.elo, interval(alone)) == (0, (0, 0))


def test_equals_have_equal_ratings_whatever_the_arithmetic_of_the_machine() -> None:
    names = [f"a{number}" for number in range(9)]
    games = [(one, other, 0, {"a0": 0}.get(one, {"a0": 1}.get(other))) for one, other in permutations(names, 2)]
    assert len({rating.elo for rating in ratings(games, names, 1).table}) == 2
    assert len(set(strengths(games, names, 1).values())) == 2


def test_games_with_others_change_nothing() -> None:
    games, names = some_games(), ["a1", "a2", "a3"]
    assert ratings([*games, ("a1", "random", 0, 0)], names, 1) == ratings(games, names, 1)


def test_moving_first_is_rated_by_variant() -> None:
    chance = numpy.random.default_rng(1)
    equal = {f"a{number}": 0.0 for number in range(1, 5)}
    games = drawn_by(chance, fixtures(4, 30, 0), equal, 200, -4)
    games += drawn_by(chance, fixtures(4, 30, 1), equal, -50, 1)
    found = ratings(games, list(equal), 2)
    assert found.advantage[0] == pytest.approx(200, abs=60)
    assert found.advantage[1] == pytest.approx(-50, abs=60)
    assert found.draws[1] == pytest.approx(chances(0, 1)[1], abs=0.1)
    assert found.draws[0] == pytest.approx(chances(0, -4)[1], abs=0.02)


def test_strengths_are_those_of_the_ratings() -> None:
    games, names = some_games(variants=2), ["a1", "a2", "a3"]
    found = {rating.name: rating.elo for rating in ratings(games, names, 2).table}
    assert strengths(games, names, 2) == pytest.approx(found)


def test_the_covariance_is_the_inverse_of_the_curvature_of_the_likelihood() -> None:
    """It is compared with differences of the likelihood, with an average strength of 0."""
    given = aggregate(some_games(variants=2), ["a1", "a2", "a3"], 2)
    values, step = fit(given).values, 1e-3
    steps = step * numpy.eye(given.unknowns)

    def curvature(one: Vector, other: Vector) -> float:
        corners = [(one + other, 1), (one - other, -1), (other - one, -1), (-one - other, 1)]
        return -sum(sign * likelihood(given, values + corner) for corner, sign in corners) / (4 * step**2)

    information = numpy.array([[curvature(one, other) for other in steps] for one in steps])
    average = numpy.array([1.0] * 3 + [0.0] * 4)
    bordered = numpy.block([[information, average[:, None]], [average[None, :], numpy.zeros((1, 1))]])
    assert covariance(given, values) == pytest.approx(numpy.linalg.inv(bordered)[:-1, :-1], rel=1e-3, abs=1e-5)


def test_the_most_likely_values_are_found_from_far_away() -> None:
    given = aggregate(some_games(), ["a1", "a2", "a3"], 1)
    best = fit(given)
    for far in (3.0, 8.0):
        begin = numpy.array([-far, 0.0, far, far, -far])
        assert fit(given, begin=begin).values == pytest.approx(best.values, abs=1e-4)
