"""Verifying tablebases by the rules alone: what is right, and what was changed."""

import re
from itertools import islice
from pathlib import Path

import pytest

from engine import cli
from engine.games.catalogue import start_of
from engine.solve import tablebase
from engine.solve.layers import layer_of, layer_rules
from engine.solve.verification import all_places, fault_at, layers_up_to, position_at, random_places
from tests.engine.solve.test_layers import solved

KERNEL = start_of("gipf", "2 2 4 4").kernel(compile=False)
NAMES = layers_up_to((4, 4))


def test_every_position_is_looked_at_and_each_changed_value_is_found() -> None:
    layers = solved(KERNEL, (4, 4))
    states = {place: state for place in all_places(KERNEL, NAMES) if (state := position_at(KERNEL, place))}
    rules = layer_rules(KERNEL)
    for place, state in states.items():
        assert place.layer == layer_of(KERNEL._replace(state=state))
        assert place.number == rules.place_in_layer(state, rules.index)
    assert layers.total((4, 4)) == len(states)
    assert not any(fault_at(KERNEL, layers, *found) for found in states.items())
    right = bytes(layers.known().values)
    changed = [next(at for at, value in enumerate(right) if value == wanted) for wanted in (2, 3)]
    for at in changed:
        layers.fill(right[:at] + b"\x04" + right[at + 1 :])
        assert any(fault_at(KERNEL, layers, *found) for found in states.items())


def test_a_seed_has_the_same_places_on_every_machine() -> None:
    found = list(islice(random_places(KERNEL, NAMES, 7), 40))
    assert found == list(islice(random_places(KERNEL, NAMES, 7), 40))
    assert found != list(islice(random_places(KERNEL, NAMES, 8), 40))
    assert set(found) <= set(all_places(KERNEL, NAMES))


def test_the_command_tells_of_faults(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tablebase.GIVEN, str(tmp_path))
    assert cli.run(["verify", "gipf", "2 2 4 4"]) == 2
    assert "there is no tablebase yet" in capsys.readouterr().err
    solved(KERNEL, (4, 4), directory=tmp_path)
    assert cli.run(["verify", "gipf", "2 2 4 4", "--positions", "300"]) == 0
    assert capsys.readouterr().out == "300 positions, 0 of them with a value that does not follow from the rules\n"
    file = tmp_path / "gipf_2_2.layers"
    right = file.read_bytes()
    at = right.rindex(3)  # a loss in 2
    file.write_bytes(right[:at] + b"\x05" + right[at + 1 :])
    assert cli.run(["verify", "gipf", "2 2 4 4", "--every"]) == 1
    told = capsys.readouterr()
    assert re.search(r"^layer (\d \d): its values differ from their checksum$", told.err, re.MULTILINE)
    assert re.search(
        rf"^layer \d \d, place \d+, byte {at} of the file: loss in 4, but by the rules loss in 2$", told.err, re.M
    )
    assert "1 of them with a value that does not follow" in told.out
    assert cli.run(["verify", "gipf", "2 2 4 4", "--positions", "1"]) == 1
    assert "--every looks at all of them" in capsys.readouterr().err
    journal = tmp_path / "gipf_2_2.journal"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-2]))
    assert cli.run(["verify", "gipf", "2 2 4 4"]) == 2
    assert "layers are not there; precompile makes them: " in capsys.readouterr().err
