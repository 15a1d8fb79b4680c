"""The twelve symmetries of the hexagon, and the position that stands for all of its images."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.evaluation import SYMMETRIES
from engine.games.gipf.kernel import GipfRules, bind
from engine.games.gipf.rules import State

VARIANTS = ["2 2 5 5", "3 3 9 9", "3 2 9 9", "4 4 15 15"]


def states(parameters: str, plies: int) -> Iterator[State]:
    """Yield the states of a random game."""
    chance = Random(parameters)
    position = GAMES["gipf"].start(parameters)
    for _ in range(plies):
        successors = list(position.successors())
        if not successors:
            return
        position = chance.choice(successors).position
        yield position.kernel(compile=False).state


def images(state: State, rules: GipfRules) -> list[State]:
    """Return a position under all symmetries, and once more under the first."""
    found = []
    white, black = state.white, state.black
    for turn in range(SYMMETRIES + 1):
        found.append(state._replace(white=white, black=black))
        reflect = rules.reversed_rows if turn % 2 else rules.exchanged
        assert reflect is not None
        white, black = reflect(white), reflect(black)
    return found


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("parameters", VARIANTS)
def test_images_have_one_canonical_position_and_images_of_the_same_children(parameters: str) -> None:
    size, run, *_ = map(int, parameters.split())
    rules = bind(size, run)
    arena = [0] * 20_000
    canonical = rules.canonical
    assert canonical is not None

    def children(state: State) -> set[State]:
        return {canonical(rules.load(arena, at)) for at in range(rules.children(state, arena, 0))}

    seen = 0
    for state in states(parameters, 20):
        all_images = images(state, rules)
        assert all_images[-1] == state
        assert {canonical(image) for image in all_images} == {canonical(state)}
        assert canonical(state) in all_images
        assert all(children(image) == children(state) for image in all_images)
        seen = max(seen, len(set(all_images)))
    assert seen == SYMMETRIES


def test_large_boards_are_left_as_they_are() -> None:
    assert bind(5, 4).canonical is None
