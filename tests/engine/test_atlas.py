"""The atlas of solved variants: its file, going on where it was, and its tables."""

from pathlib import Path

import pytest

from engine import cli
from engine.commands.solving import atlas
from engine.solve.atlas.entries import Entry, shipped
from engine.solve.solver import Result


def run(capsys: pytest.CaptureFixture[str], file: Path, *arguments: str) -> tuple[int, list[str], list[str]]:
    status = cli.run(("atlas", "gipf", str(file), *arguments))
    captured = capsys.readouterr()
    return status, captured.out.splitlines(), captured.err.splitlines()


def test_variants_are_solved_once_and_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The results are those of docs/rules.md, 1.11; the second time there is nothing left to do."""
    file = tmp_path / "atlas.tsv"
    status, lines, said = run(capsys, file, "2 3 5 5", "3 3-4 4 4", "3 3 4-5 4", "--table")
    assert (status, len(said)) == (0, 4)
    assert lines[0] == "4 variants, 4 of them solved"
    assert "2 3, rows and columns being the next two parameters:" in lines
    assert "| **5** | 1 in 1 |" in lines
    assert "| **5** | 1 in 3 |" in lines
    assert [line.split("\t")[:3] for line in file.read_text().splitlines()[1:]] == [
        ["2 3 5 5", "first", "1"],
        ["3 3 4 4", "second", "2"],
        ["3 4 4 4", "second", "2"],
        ["3 3 5 4", "first", "3"],
    ]
    assert run(capsys, file, "2 3 5 5", "3 3 4 4")[1:] == (["4 variants, 4 of them solved"], [])


@pytest.mark.slow
def test_jobs_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # for the processes: to compile takes longer than to solve
    status, lines, _ = run(capsys, tmp_path / "atlas.tsv", "2 2-3 4 4", "--jobs", "2")
    assert (status, lines) == (0, ["2 variants, 2 of them solved"])


def test_what_was_not_solved_is_tried_again_with_larger_limits_only() -> None:
    unknown = Entry("3 3 9 9", Result.UNKNOWN, "", "", 1, 1, 60.0, "60 1024")
    assert not atlas._may_be_more(unknown, 60, 1024)
    assert not atlas._may_be_more(unknown, 10, 512)
    assert atlas._may_be_more(unknown, 61, 1024)
    assert atlas._may_be_more(unknown, 60, 2048)
    assert not atlas._may_be_more(unknown._replace(result=Result.DRAW), 61, 1024)


def test_smaller_variants_come_first() -> None:
    assert list(atlas._variants("2 2-3 4-5 4")) == ["2 2 4 4", "2 2 5 4", "2 3 4 4", "2 3 5 4"]


@pytest.mark.slow("interpreted")
def test_layers_are_kept_and_used_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, layers = tmp_path / "atlas.tsv", tmp_path / "layers"
    status, lines, said = run(capsys, file, "2 2-3 4-5 4", "--layers", str(layers), "--jobs", "2")
    assert (status, lines) == (0, ["4 variants, 4 of them solved"])
    assert [line.split("\t")[:4] for line in file.read_text().splitlines()[1:]] == [
        ["2 2 4 4", "draw", "", "layers"],
        ["2 2 5 4", "draw", "", "layers"],
        ["2 3 4 4", "first", "1", "layers"],
        ["2 3 5 4", "first", "1", "layers"],
    ]
    assert "2 2 4 4: draw, layers" in said[0]
    solved = {path.name: path.read_bytes() for path in layers.iterdir()}
    assert sorted(solved) == ["gipf_2_2.journal", "gipf_2_2.layers", "gipf_2_3.journal", "gipf_2_3.layers"]
    file.unlink()
    run(capsys, file, "2 2-3 5 4", "--layers", str(layers), "--time", "0.001")
    assert [Entry.read(line).result for line in file.read_text().splitlines()[1:]] == [Result.DRAW, Result.FIRST]
    assert {path.name: path.read_bytes() for path in layers.iterdir()} == solved


@pytest.mark.slow("interpreted")
def test_layers_over_a_limit_are_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "atlas.tsv"
    layers = "--layers", str(tmp_path / "layers")
    status, lines, said = run(capsys, file, "2 2 5 5", *layers, "--time", "0.000001")
    assert (status, lines) == (0, ["1 variant, 0 of them solved"])
    assert "2 2 5 5: layer 0 0 is not solved: the time is over" in said
    assert run(capsys, file, "2 2 5 5", *layers)[1] == ["1 variant, 1 of them solved"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("4 4 4 4", "--layers", "layers"), "4 4 4 4 has no layers"),
        (("2 2 4 4", "--layers", "/dev/null/layers"), "--layers: /dev/null/layers: Not a directory"),
        (("2 x 4 4",), "'x' is no number and no range"),
        (("1-999 1-999 4 4",), "998001 variants"),
        (("2 9 4 4",), "K is 9"),
        (("2 3 4 4", "--time", "0"), "--time has to be above 0"),
        (("2 3 4 4", "--memory", "1"), "--memory at least 16"),
    ],
)
def test_bad_ranges_take_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    status, lines, said = run(capsys, tmp_path / "atlas.tsv", *arguments)
    assert (status, lines, len(said)) == (2, [], 1)
    assert words in said[0]


def test_a_file_that_is_no_atlas_is_refused_and_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "atlas.tsv"
    file.write_text("one\ntwo\n")
    status, _, said = run(capsys, file, "2 3 4 4")
    assert (status, len(said)) == (2, 1)
    assert "line 2" in said[0]
    assert file.read_text() == "one\ntwo\n"


def test_what_is_shipped_is_an_atlas_with_a_line_a_variant() -> None:
    entries = shipped()
    assert len(entries) == len({entry.parameters for entry in entries}) == 577
    known = {entry.parameters: (entry.result, entry.plies) for entry in entries}
    assert (known["3 3 5 5"], known["3 3 8 4"], known["3 3 6 8"]) == (("draw", ""), ("first", "3"), ("second", "66"))
