"""Solving by layers: against the atlas, against a plain definition, and after interruptions."""

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import Kernel
from engine.solve import layer_values, layers as solving_layers, solver
from engine.solve.layers import (
    COLUMNS,
    ExactValue,
    Layers,
    OutOfMemory,
    OutOfTime,
    expected_value,
    layer_of,
    position_at,
    random_places,
)
from engine.solve.solver import LayeredBackend, Result, solve
from engine.solve.tablebase import are_shipped, shipped

CAMPAIGN = 4 if os.environ.get("ARENA_CAMPAIGN") else 1
"""So many times as many positions."""

MEMORY = 1 << 30
ATLAS = Path(__file__).with_name("atlas.tsv")


def kernel_of(parameters: str, *, compile: bool = True) -> Kernel:
    return GAMES["gipf"].start(parameters).kernel(compile=compile)


def never() -> bool:
    return False


def solved(kernel: Kernel, name: tuple[int, int] | None = None, **options: Any) -> Layers:
    """Return all layers up to that of a kernel's position, or to another one."""
    name = name or layer_of(kernel)
    layers = Layers(kernel, name, memory=MEMORY, **options)
    layers.solve_all(name)
    assert layers.missing(name) == []
    return layers


def judged(parameters: str, layers: Layers) -> tuple[str, str]:
    """Return result and length of the game from the start, as the atlas tells them."""
    exact_value = layers.exact_value(kernel_of(parameters, compile=False).state)
    assert exact_value is not None
    if exact_value.result == 0:
        return Result.DRAW, ""
    return (Result.FIRST if exact_value.result > 0 else Result.SECOND), str(exact_value.plies)


def entries(variant: str, most: int) -> dict[str, tuple[str, str]]:
    """Return what the atlas has found without layers of variants up to so many pieces a side."""
    found = {}
    for line in ATLAS.read_text().splitlines()[1:]:
        parameters, result, plies, method = line.split("\t")
        if parameters.startswith(variant) and method != "layers" and max(map(int, parameters.split()[2:])) <= most:
            found[parameters] = result, plies
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "most", "count"),
    [
        ("2 2", 15, 144),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in (("2 3", 15, 144), ("3 2", 7, 16), ("3 3", 5, 4), ("3 4", 4, 1), ("3 5", 4, 1))
        ),
    ],
)
def test_layers_and_the_other_methods_agree(variant: str, most: int, count: int) -> None:
    expected = entries(variant, most)
    assert len(expected) == count
    kernel = kernel_of(f"{variant} {most} {most}")
    layers = solved(kernel)
    if are_shipped(kernel):
        assert bytes(shipped(kernel.rules).known().values) == bytes(layers.known().values)
    assert {parameters: judged(parameters, layers) for parameters in expected} == expected


@pytest.mark.parametrize(
    ("parameters", "most"),
    [
        pytest.param("2 2 6 6", 6, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
        pytest.param("2 3 6 6", 6, marks=pytest.mark.campaign),
        pytest.param("3 3 4 4", 1, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough]),
        pytest.param("3 3 4 4", 3, marks=pytest.mark.campaign),
        *(pytest.param(larger, 4, marks=pytest.mark.campaign) for larger in ("3 3 4 4", "3 2 4 4")),
    ],
)
def test_values_follow_from_those_of_the_children(parameters: str, most: int) -> None:
    """This proves them too: all that is won or lost by induction over the plies, and then what is drawn."""
    kernel = kernel_of(parameters)
    layers = solved(kernel, (most, most))
    places = random_places(layers, list(layers.sizes), seed=most)
    states = (state for place in places if (state := position_at(layers, place)) is not None)
    for state in islice(states, 150 * CAMPAIGN):
        assert layers.exact_value(state) == expected_value(layers, state)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["2 2 4 4", pytest.param("2 3 4 4", marks=pytest.mark.campaign)])
def test_interpreted_layers_are_the_same(variant: str) -> None:
    """Each variant is compiled by itself; that of the atlas above serves here, too."""
    interpreted, compiled = solved(kernel_of(variant, compile=False)), solved(kernel_of(variant))
    assert bytes(interpreted.values) == bytes(compiled.values)
    assert interpreted.total((4, 4)) == compiled.total((4, 4))


def stopping(after: int) -> Callable[[], bool]:
    """Return what says that it is late from some question on."""
    questions = iter(range(after))
    return lambda: next(questions, None) is None


@pytest.mark.slow("interpreted")
def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    kernel = kernel_of("2 2 4 4")
    whole = solved(kernel, directory=tmp_path / "whole")
    name = layer_of(kernel)
    runs = 0
    while True:
        runs += 1
        layers = Layers(kernel, name, memory=MEMORY, directory=tmp_path / "parts")
        late = stopping(25)
        try:
            layers.solve_all(name, late)
        except OutOfTime:
            continue
        break
    assert runs > 5
    file = "gipf_2_2.layers"
    assert (tmp_path / "parts" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert layers.total(name) == whole.total(name)
    assert layers.exact_value(kernel.state) == whole.exact_value(kernel.state) == ExactValue(0, 0)


@pytest.mark.slow("interpreted")
def test_a_larger_variant_needs_only_what_is_not_there(tmp_path: Path) -> None:
    solved(kernel_of("2 3 4 4"), (4, 3), directory=tmp_path)
    journal = (tmp_path / "gipf_2_3.journal").read_text()
    larger = Layers(kernel_of("2 3 4 4"), (4, 4), memory=MEMORY, directory=tmp_path)
    assert larger.missing((4, 4)) == [(4, 4)]
    larger.solve((4, 4), never)
    lines = (tmp_path / "gipf_2_3.journal").read_text().removeprefix(journal).splitlines()[1:]
    assert [line.split("\t")[:2] for line in lines] == [["4", "4"]]
    assert judged("2 3 4 4", larger) == ("first", "1")


@pytest.mark.slow("interpreted")
def test_damage_is_noticed_and_repaired(tmp_path: Path) -> None:
    kernel = kernel_of("2 2 4 4")
    before = solved(kernel, directory=tmp_path)
    values, journal = tmp_path / "gipf_2_2.layers", tmp_path / "gipf_2_2.journal"
    content = values.read_bytes()
    # as a crash of the machine may leave them: values that were never written, and a line without its end
    start = before.place_of((3, 4), 0)
    at = next(at for at in range(start, len(content)) if content[at])
    values.write_bytes(content[:at] + b"\0" + content[at + 1 :])
    text = journal.read_text()
    journal.write_text(text[: text.rindex("\t")])
    layers = Layers(kernel, (4, 4), memory=MEMORY, directory=tmp_path)
    assert layers.missing((4, 4)) == [(4, 3), (4, 4)]
    layers.solve_all((4, 4))
    assert values.read_bytes() == content
    assert journal.read_text().startswith("\t".join(COLUMNS) + "\n")
    assert Layers(kernel, (4, 4), memory=MEMORY, directory=tmp_path).missing((4, 4)) == []


@pytest.mark.slow("interpreted")
def test_a_layer_that_does_not_fit_into_memory_is_not_begun(tmp_path: Path) -> None:
    kernel = kernel_of("3 3 9 9")
    with pytest.raises(OutOfMemory):
        Layers(kernel, (9, 9), memory=1 << 28)
    layers = Layers(kernel, (9, 9), memory=1 << 20, directory=tmp_path)
    with pytest.raises(OutOfMemory):
        layers.solve((5, 5), never)
    assert layers.missing((5, 5))[-1] == (5, 5)


@pytest.mark.slow("interpreted")
def test_portions_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of("2 2 4 4")
    expected = bytes(solved(kernel).values)
    monkeypatch.setattr(solving_layers, "SURVEY_CHUNK", 37)
    monkeypatch.setattr(solving_layers, "PROPAGATION_CHUNK", 41)
    monkeypatch.setattr(solving_layers, "EDGE_CHUNK", 64)
    assert bytes(solved(kernel).values) == expected


@pytest.mark.slow("interpreted")
def test_too_long_games_are_refused() -> None:
    """A layer below in which a game takes as many plies as a byte can tell of."""
    kernel = kernel_of("2 2 4 4")
    layers = solved(kernel)
    for at in range(len(layers.values)):
        layers.values[at] = layer_values.MAX_PLIES + 1
    with pytest.raises(OverflowError):
        layers.solve((4, 4), never)


@pytest.mark.slow("interpreted")
def test_the_solver_changes_over_to_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The position is drawn, and proof-number search alone does not prove that within so many nodes."""
    kernel = kernel_of("2 2 4 4", compile=False)
    layers = LayeredBackend(kernel, MEMORY)
    monkeypatch.setattr(solver, "LAYERED_FROM", 300)
    monkeypatch.setattr("engine.solve.solver.backends", lambda *_, **__: [layers])
    solution = solve(GAMES["gipf"].start("2 2 4 4"))
    assert (solution.result, solution.plies) == (Result.DRAW, None)
    assert solution.positions == layers.used > 0
