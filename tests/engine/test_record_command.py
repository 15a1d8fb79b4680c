"""``arena-engine record`` as it is typed."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from engine.match.record import Header
from tests.engine.records import Table
from tests.waiting import WAIT_SECONDS


def _command(*words: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "engine", "record", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)


@pytest.fixture
def match(tmp_path: Path) -> Path:
    """The record of a match with a stall."""
    position = GAMES["gipf"].start("3 3 9 9")
    header = Header(7, position, ("ann", "bob"), TimeControl(10_000_000), 60, "test", "2026-01-02T03:04:05.678Z")
    table = Table(header=header).ready(5, 4).note(0, "score=35 depth=7 pv=a1-b2,e3-d3 text=in the book")
    path = tmp_path / "7.txt"
    text = table.note(1, "ply=2 it will be over").stall(10.875, 1000).play("a1-b2", span=100).resign(1)
    path.write_text(text, encoding="utf-8")
    return path


def test_verify_shows_how_each_clock_comes_about(match: Path) -> None:
    done = _command("--verify", str(match))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("GIPF 3 3 9 9: ann (white) against bob (black)")
    assert lines[2].split() == ["from", "until", "stalled", "lag", "charged", "left"]
    assert [line.split()[-1] for line in lines[3:5]] == ["READY", "READY"]
    (move,) = [line.split() for line in lines if line.endswith(" a1-b2")]
    assert move[:7] == ["1", "white", "9.125", "1120.000", "1000.000", "0.000", "110.875"]
    assert lines[-1].startswith("verified match 7: white resign, 1 move, ")


def test_without_it_moves_and_board_are_shown(match: Path) -> None:
    done = _command(str(match))
    assert "charged" not in done.stdout
    moves = [
        "   1 white a1-b2",
        "      note: score 35; depth 7; pv a1-b2, e3-d3: in the book",
        "      note: it will be over",
    ]
    assert done.stdout.splitlines()[1:4] == moves


@pytest.mark.parametrize("options", [(), ("--verify",)])
def test_a_clock_that_is_not_true_is_named_with_its_line(match: Path, options: tuple[str, ...]) -> None:
    forged = match.read_text(encoding="utf-8").replace("stall 20.000 1020.000", "stall 20.000 1000.000")
    done = _command(*options, "-", text=forged)
    assert done.returncode == 2 and done.stdout == ""
    assert "this line is written 'move 1 white " in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_pictures_are_in_the_format_that_their_names_end_in(match: Path, tmp_path: Path) -> None:
    begins = {".svg": b"<svg ", ".png": b"\x89PNG", ".gif": b"GIF89a"}
    for suffix, first in begins.items():
        file = tmp_path / f"board{suffix}"
        done = _command(str(match), "--picture", str(file), "--night")
        assert done.returncode == 0 and file.read_bytes().startswith(first), done.stderr
    refused = _command(str(match), "--picture", str(tmp_path / "board.jpg"))
    assert refused.returncode == 2 and "none of .svg, .png and .gif" in refused.stderr
    refused = _command(str(match), "--picture", str(tmp_path / "board.png"), "--ply", "2")
    assert refused.returncode == 2 and "--ply is 2, but it has to be 0 to 1" in refused.stderr
