"""The probe of docs/tablebases: it reads what the engine has written, and agrees with it."""

import runpy
from pathlib import Path

import pytest

from engine.games.catalogue import start_of
from engine.games.interface import Position
from engine.solve.layered.solver import Layers

PROBE = Path(__file__).parents[3] / "docs" / "tablebases" / "probe.py"


@pytest.mark.parametrize("run", [2, 3])
def test_the_probe_agrees_with_the_engine(tmp_path: Path, run: int) -> None:
    start = start_of("gipf", f"2 {run} 4 4")
    layers = Layers(start.kernel(compile=False), (4, 4), memory=1 << 30, directory=tmp_path)
    for pair in layers.missing((4, 4)):
        layers.solve(pair, lambda: False)
    probe = runpy.run_path(str(PROBE))["probe"]
    reached: dict[object, Position] = {start.key: start}
    waiting = [start]
    while waiting:
        for _, after in waiting.pop().successors():
            if after.key not in reached:
                reached[after.key] = after
                waiting.append(after)
    found = set()
    with (tmp_path / f"gipf_2_{run}.layers").open("rb") as file:
        for position in reached.values():
            judgement = layers.judgement(position.kernel(compile=False).state)
            assert probe(file, position.text()) == judgement
            found.add(judgement)
    assert len(found) > 1
