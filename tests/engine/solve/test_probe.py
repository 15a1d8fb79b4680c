"""The probes of tablebases: they read what the engine has written, and agree with it."""

import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.solve.layered.pair import layer_rules
from engine.solve.layered.solver import Layers, layer_of
from engine.solve.tablebase import making

PROBES = Path(making.__file__).parent / "format"

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2")


@pytest.fixture(scope="module")
def python_probe() -> Any:
    """The function that looks a position up in an open file."""
    return runpy.run_path(str(PROBES / "probe.py"))["probe"]


@pytest.fixture(scope="module")
def c_probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    program = tmp_path_factory.mktemp("probe") / "probe"
    subprocess.run([compiler, *STRICT, "-o", program, PROBES / "probe.c"], check=True)
    return program


def asked(program: Path, layers: Path, positions: list[Position]) -> list[str]:
    """Ask the program in C for some positions of one board."""
    texts = "".join(f"{position.text()}\n" for position in positions)
    done = subprocess.run([program, layers], input=texts, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def words(result: int, plies: int) -> str:
    return "draw" if result == 0 else f"{'win' if result > 0 else 'loss'} in {plies}"


def reachable(start: Position) -> list[Position]:
    reached: dict[object, Position] = {start.key: start}
    waiting = [start]
    while waiting:
        for _, after in waiting.pop().successors():
            if after.key not in reached:
                reached[after.key] = after
                waiting.append(after)
    return list(reached.values())


def played(start: Position, chance: Random, count: int) -> Iterator[Position]:
    """Yield positions of random games."""
    position = start
    for _ in range(count):
        if position.verdict() is not None:
            position = start
        position = chance.choice([after for _, after in position.successors()])
        yield position


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("run", [2, 3])
def test_both_probes_agree_with_the_engine(tmp_path: Path, python_probe: Any, c_probe: Path, run: int) -> None:
    start = start_of("gipf", f"2 {run} 4 4")
    layers = Layers(start.kernel(compile=False), (4, 4), memory=1 << 30, directory=tmp_path)
    for pair in layers.missing((4, 4)):
        layers.solve(pair, lambda: False)
    positions = reachable(start)[::3]
    expected = []
    path = tmp_path / f"gipf_2_{run}.layers"
    with path.open("rb") as file:
        for position in positions:
            judgement = layers.judgement(position.kernel(compile=False).state)
            assert judgement is not None and python_probe(file, position.text()) == judgement
            expected.append(words(*judgement))
    assert asked(c_probe, path, positions) == expected
    assert len(set(expected)) > 1


@pytest.mark.slow("interpreted")
@pytest.mark.parametrize("run", [3, 4])
def test_both_probes_find_the_places_of_the_larger_board(
    tmp_path: Path, python_probe: Any, c_probe: Path, run: int
) -> None:
    """The file has bytes of chance, so that hardly any other place has the value of the right one."""
    start = start_of("gipf", f"3 {run} 5 5")
    kernel = start.kernel(compile=False)
    Layers(kernel, (5, 5), memory=0, directory=tmp_path)
    path = tmp_path / f"gipf_3_{run}.layers"
    values = Random(run).randbytes(path.stat().st_size)
    path.write_bytes(values)
    positions = list(played(start, Random(18), 120))
    rules, expected = layer_rules(kernel), []
    offsets, total = {}, 0
    for number in range(6):
        for name in [(number, theirs) for theirs in range(number + 1)] + [(mine, number) for mine in range(number)]:
            offsets[name] = total
            total += int(rules.places(*name, rules.index))
    with path.open("rb") as file:
        for position in positions:
            state = position.kernel(compile=False).state
            name = layer_of(kernel._replace(state=state))
            value = values[offsets[name] + int(rules.place_in_layer(state, rules.index))]
            judgement = (0, 0) if value == 0 else (-1 if value % 2 else 1, value - 1)
            assert python_probe(file, position.text()) == judgement
            expected.append(words(*judgement))
    assert asked(c_probe, path, positions) == expected


def test_the_program_says_what_it_cannot_read(tmp_path: Path, c_probe: Path) -> None:
    layers = tmp_path / "gipf_2_2.layers"
    layers.write_bytes(b"")
    for text, reason in (
        ("4 4 5 5\n", "there are tablebases for S = 2 and 3"),
        ("2 2 4 4\n3 3 W\n_ W\n", "a position ends too early"),
        (start_of("gipf", "2 2 4 4").text(), "the file has no such layer"),
    ):
        done = subprocess.run([c_probe, layers], input=text, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (2, f"probe: {reason}\n")
