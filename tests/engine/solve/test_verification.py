"""Verifying tablebases by the rules alone: what is right, and what was changed."""

from itertools import islice
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine import cli
from engine.games.catalogue import start_of
from engine.solve import tablebase
from engine.solve.layers import all_places, expected_value, layer_of, position_at, random_places
from tests.engine.solve.test_layers import solved

KERNEL = start_of("gipf", "2 2 4 4").kernel(compile=False)


@pytest.mark.slow("interpreted")
def test_every_position_is_looked_at_and_each_changed_value_is_found() -> None:
    layers = solved(KERNEL, (4, 4))
    places = list(all_places(layers, list(layers.sizes)))
    assert set(islice(random_places(layers, [(4, 3), (2, 2)], 7), 40)) <= set(places)
    states = {place: state for place in places if (state := position_at(layers, place))}
    for (name, number), state in states.items():
        assert name == layer_of(KERNEL._replace(state=state))
        assert number == layers.rules.place_in_layer(state, layers.rules.index)
    assert layers.total((4, 4)) == len(states)
    assert all(layers.exact_value(state) == expected_value(layers, state) for state in states.values())
    right = bytes(layers.known().values)
    changed = [next(at for at, value in enumerate(right) if value == wanted) for wanted in (2, 3)]
    for at in changed:
        layers.fill(right[:at] + b"\x04" + right[at + 1 :])
        assert any(layers.exact_value(state) != expected_value(layers, state) for state in states.values())


@pytest.mark.slow("interpreted")
def test_the_command_tells_of_faults(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(tmp_path))
    assert cli.run(["verify", "gipf", "2 2 4 4"]) == 2
    assert capsys.readouterr().err == snapshot(
        "arena-engine: the tablebase of GIPF 2 2 4 4 is missing or incomplete; make it with arena-engine precompile gipf '2 2 4 4'\n"
    )
    solved(KERNEL, (4, 4), directory=tmp_path)
    assert cli.run(["verify", "gipf", "2 2 4 4", "--positions", "300"]) == 0
    assert capsys.readouterr().out == snapshot(
        "300 positions, 0 of them with a value that does not follow from the rules\n"
    )
    file = tmp_path / "gipf_2_2.layers"
    right = file.read_bytes()
    at = right.rindex(3)  # a loss in 2
    file.write_bytes(right[:at] + b"\x05" + right[at + 1 :])
    assert cli.run(["verify", "gipf", "2 2 4 4", "--every"]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err) == snapshot(
        (
            "21 positions, 1 of them with a value that does not follow from the rules\n",
            """\
layer 1 4: its values differ from their checksum
layer 1 4, place 45, byte 1879 of the file: loss in 4, but by the rules loss in 2
arena-engine: the tablebase of GIPF 2 2 4 4 is wrong
""",
        )
    )
    journal = tmp_path / "gipf_2_2.journal"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-2]))
    assert cli.run(["verify", "gipf", "2 2 4 4"]) == 2
