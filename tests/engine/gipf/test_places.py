"""The twelve symmetries of the hexagon, and the place that a position shares with its images."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from engine.games.catalogue import GAMES
from engine.games.gipf.evaluation import SYMMETRIES, reflections
from engine.games.gipf.geometry import geometry
from engine.games.gipf.kernel import GipfLayerRules, bind, bind_layers
from engine.games.gipf.rules import State

VARIANTS = [
    "2 2 5 5",
    "4 4 15 15",
    *(pytest.param(more, marks=pytest.mark.thorough) for more in ("3 3 9 9", "3 2 9 9")),
]


def states(parameters: str, plies: int) -> Iterator[State]:
    """Yield the states of a random game."""
    chance = Random(parameters)
    position = GAMES["gipf"].start(parameters)
    for _ in range(plies):
        children = list(position.children())
        if not children:
            return
        position = chance.choice(children).position
        yield position.kernel(compile=False).state


def reflected(size: int, fields: int, turn: int) -> int:
    return sum(1 << image for field, image in reflections(size)[turn % 2].items() if fields >> field & 1)


def images(state: State, size: int) -> list[State]:
    """Return a position under all symmetries, and once more under the first."""
    found = []
    for turn in range(SYMMETRIES + 1):
        found.append(state)
        white, black = reflected(size, state.white, turn), reflected(size, state.black, turn)
        state = state._replace(white=white, black=black)
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
    for state in states(parameters, 8):
        all_images = images(state, size)
        assert all_images[-1] == state
        assert {canonical(image) for image in all_images} == {canonical(state)}
        assert canonical(state) in all_images
        assert all(children(image) == children(state) for image in all_images)
        seen = max(seen, len(set(all_images)))
    assert seen == SYMMETRIES


def test_large_boards_have_neither_places_nor_symmetry() -> None:
    assert bind(4, 4).layers is None and bind(5, 4).canonical is None


def fields_of(size: int) -> list[int]:
    """Return the fields of the board, each as a set."""
    return [1 << bit for bit in range((2 * size - 1) ** 2) if geometry(size).board >> bit & 1]


def two_sets(size: int, colours: tuple[int, ...]) -> State:
    """Return a position without reserves: for each field 0 none, 1 white, 2 black."""
    white, black = (
        sum(field for field, colour in zip(fields_of(size), colours, strict=True) if colour == number)
        for number in (1, 2)
    )
    return State(white, black, 0, 0, 0)


def check(size: int, state: State, theirs: int, rules: GipfLayerRules) -> int:
    """Check the place of a position in a layer where the other side has so many pieces, and return it."""
    place, alike = rules.place_of(state.white, state.black, theirs, rules.index)
    white, black = rules.sets_at(place, rules.number_at(place, 0, theirs, rules.index), theirs, rules.index)
    assert rules.canonical(State(white, black, 0, 0, 0)) == rules.canonical(state)
    assert rules.place_of(white, black, theirs, rules.index) == (place, alike)
    assert alike == images(state, size)[:-1].count(state)
    return int(place)


@pytest.mark.parametrize(
    ("run", "mine", "theirs"),
    [
        pytest.param(2, 7, 7, marks=pytest.mark.slow("interpreted")),
        pytest.param(3, 9, 8, marks=pytest.mark.campaign),
        pytest.param(3, 3, 2, marks=pytest.mark.slow("interpreted")),
        *((2, 1, 4), (3, 0, 0)),
    ],
)
def test_every_position_of_the_smallest_board_has_a_place(run: int, mine: int, theirs: int) -> None:
    rules = bind_layers(2, run, compile=False)
    places: dict[State, int] = {}
    for colours in product(range(3), repeat=len(fields_of(2))):
        state = two_sets(2, colours)
        fits = state.white.bit_count() <= mine and state.black.bit_count() <= theirs
        if fits and not rules.has_run(state.white) and not rules.has_run(state.black):
            place = check(2, state, theirs, rules)
            assert places.setdefault(rules.canonical(state), place) == place
    assert len(set(places.values())) == len(places)
    found = [0] * 10_000
    arena = [0] * 10_000
    number = 0
    for place in range(rules.places(mine, theirs, rules.index)):
        number = rules.number_at(place, number, theirs, rules.index)
        verdict, _, _ = rules.moves_from(place, number, mine, theirs, rules.index, arena, found)
        assert (verdict >= 0) == (place in places.values())
    assert max(places.values()) < rules.places(mine, theirs, rules.index)
