"""``arena-engine book``: a file that grows, is gone on with after kill -9, and is shown and checked."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import cli
from engine.duel.book.book import FOLDER, opened

COMMAND = ["--params", "3 3 7 7", "--nodes", "60", "--seed", "5"]


def make(file: Path, *arguments: str) -> int:
    return cli.run(["book", "make", str(file), *arguments, *COMMAND])


def kept(file: Path) -> Path:
    return file.with_name(f"{file.name}.searches")


def test_a_book_is_made_shown_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.book"
    assert make(file, "--positions", "24") == 0
    told = capsys.readouterr().out.splitlines()
    size = len(opened(file).entries)
    assert 24 <= size <= 31 and told[0].startswith(f"{size} positions, from ")
    assert cli.run(["book", "check", str(file)]) == 0
    checked = capsys.readouterr().out.splitlines()
    assert checked[0] == f"true: {size} positions of GIPF 3 3 7 7"
    assert checked[1] == told[1]
    assert sum(int(part.split(": ")[1]) for part in checked[1].partition(": ")[2].split(", ")) == size
    assert cli.run(["book", "show", str(file), "--params", "3 3 7 7"]) == 0
    head, ply, best, *_ = capsys.readouterr().out.splitlines()
    assert head == f"book of GIPF 3 3 7 7: {size} positions, 60 nodes each, seed 5"
    assert ply.startswith("ply 0, score ")
    move, _, rest = best.partition("  score ")
    assert rest.split(",")[0] == ply.removeprefix("ply 0, score ")
    assert cli.run(["book", "show", str(file), "--params", "3 3 7 7", "--after", move]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("ply 1, score ")


@pytest.mark.slow("interpreted")
def test_asking_for_more_goes_on_and_gives_the_same_as_at_once(tmp_path: Path) -> None:
    at_once, in_parts = tmp_path / "one.book", tmp_path / "two.book"
    assert make(at_once, "--positions", "24") == 0
    for positions in ("1", "9", "17", "24"):
        assert make(in_parts, "--positions", positions) == 0
    assert in_parts.read_bytes() == at_once.read_bytes()
    assert kept(in_parts).read_bytes() == kept(at_once).read_bytes()


@pytest.mark.slow("interpreted")
def test_after_kill_9_and_with_more_processes_it_is_the_same_book(tmp_path: Path) -> None:
    whole, killed = tmp_path / "one.book", tmp_path / "two.book"
    assert make(whole, "--positions", "24") == 0
    command = [sys.executable, "-P", "-m", "engine", "book", "make", str(killed), "--positions", "24", "--jobs", "2"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    kills = 0
    for lines in (3, 14, 24):
        with subprocess.Popen(
            [*command, *COMMAND], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:  # fmt: skip
            while process.poll() is None and (
                not kept(killed).exists() or len(kept(killed).read_bytes().splitlines()) < lines
            ):
                pass
            kills += process.poll() is None
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert kills
    with kept(killed).open("ab") as file:
        file.write(b'{"number":1')  # half a line
    assert subprocess.run([*command, *COMMAND], env=environment, check=True, capture_output=True).returncode == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert kept(killed).read_bytes() == kept(whole).read_bytes()


def test_what_is_wrong_takes_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.book"
    assert make(file, "--positions", "9") == 0
    capsys.readouterr()

    def refused(status: int, sentence: str, *arguments: str) -> None:
        assert cli.run(["book", *arguments]) == status
        told = capsys.readouterr().err.splitlines()
        assert len(told) == 1 and sentence in told[0], told

    refused(2, "seed 6 is 5 there", "make", str(file), "--params", "3 3 7 7", "--nodes", "60", "--seed", "6")
    refused(2, "--nodes is 0", "make", str(tmp_path / "x"), "--nodes", "0")
    refused(2, "--positions is 0", "make", str(tmp_path / "x"), "--positions", "0")
    refused(2, "there is no such book of GIPF 3 3 7 7", "show", "--params", "3 3 7 7")
    refused(2, "there is no such book of GIPF 4 4 15 15", "show", str(file))
    refused(2, "--after: ", "show", "--after", "a1-a9")
    refused(2, "No such file", "check", str(tmp_path / "missing"))
    kept(file).unlink()
    refused(2, "from which to go on", "make", str(file), *COMMAND)
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(content)
    refused(2, "checksum is wrong", "check", str(file))


def test_searches_that_were_meddled_with_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.book"
    assert make(file, "--positions", "9") == 0
    lines = kept(file).read_bytes().splitlines(keepends=True)
    for other in (
        [*lines[:3], *lines[4:]],
        [*lines[:3], lines[3].replace(b'"child":', b'"child":1'), *lines[4:]],
        [b"{}\n"],
    ):
        kept(file).write_bytes(b"".join(other))
        capsys.readouterr()
        assert make(file, "--positions", "9") == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_shipped_book_is_shown_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["book", "show"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    book = opened(FOLDER / "gipf_4_4_15_15.book")
    assert head.startswith(f"book of GIPF 4 4 15 15: {len(book.entries)} positions, {book.making.nodes} nodes each")


def test_a_fault_is_told_and_is_the_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from engine.duel.book.book_file import write

    book = opened(FOLDER / "gipf_4_4_15_15.book")
    some = dict(sorted(book.entries.items(), key=lambda item: item[1].ply)[:20])
    file = tmp_path / "less.book"
    file.write_bytes(write(book.making, some))
    assert cli.run(["book", "check", str(file)]) == 1
    told = capsys.readouterr()
    assert "its score and line are not those of its best move" in told.out
    assert "faults in this book" in told.err
