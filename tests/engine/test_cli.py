"""The command line ``arena-engine``: what scripts read, exit statuses, and one line on stderr for what is wrong."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from inline_snapshot import snapshot

from engine import cli
from engine.commands import inputs
from engine.games.catalogue import start_of
from tests.waiting import WAIT_SECONDS

SMALL = "2 3 5 5\n2 2 W\n W B\nB _ W\n W B\n"

PERFT_LINE = re.compile(r"perft (\d+) (\d+) (\d+\.\d+) (\d+)")


class Run:
    """A command line that was carried out in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.status = cli.run(arguments)
        captured = capsys.readouterr()
        self.lines, self.complaints = captured.out.splitlines(), captured.err.splitlines()


def write(folder: Path, text: str) -> str:
    path = folder / "position.txt"
    path.write_text(text)
    return str(path)


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))


# What is answered


@pytest.mark.parametrize(("options", "counts"), [([], [30, 852]), (["--unique"], [18, 336])])
def test_perft_prints_a_line_a_depth(capsys: pytest.CaptureFixture[str], options: list[str], counts: list[int]) -> None:
    run = Run(capsys, "perft", "gipf", "--params", "3 3 9 9", "--depth", "2", "--interpreted", *options)
    matches = [PERFT_LINE.fullmatch(line) for line in run.lines]
    assert [(match[1], match[2]) for match in matches if match] == [("1", str(counts[0])), ("2", str(counts[1]))]
    seconds, rate = float(matches[1][3]), int(matches[1][4])  # type: ignore[index]
    assert rate == pytest.approx(counts[1] / seconds, rel=0.05)
    assert (run.status, run.complaints) == (0, [])
    assert Run(capsys, "perft", "gipf", "--depth", "0").lines[0].startswith("perft 0 1 ")


def test_perft_divides_the_last_count_among_moves(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "perft", "gipf", "--params", "3 3 9 9", "--depth", "2", "--divide", "--interpreted", "--unique")
    divided = [line.split() for line in run.lines if line.startswith("divide ")]
    assert divided[0] == ["divide", "18", "a3-b4"]
    assert (len(divided), sum(int(words[1]) for words in divided)) == (18, 336)


def test_parameters_may_be_parted_by_commas_and_odd_ones_get_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "solve", "gipf", "--params", "2,3,5,5")
    assert (run.status, run.lines) == (0, ["result first", "plies 1"])
    assert run.complaints[0].startswith("warning: K = 3 ")


@pytest.mark.parametrize(
    ("params", "options", "lines"),
    [
        ("3 3 4 4", [], ["result second", "plies 2"]),
        ("3 3 5 4", [], ["result first", "plies 3"]),
        pytest.param("3 3 9 9", ["--time", "0.01"], ["result unknown"], marks=pytest.mark.slow("interpreted")),
    ],
)
def test_solve_names_the_winner_and_the_plies_or_says_unknown_when_time_is_over(
    capsys: pytest.CaptureFixture[str], params: str, options: list[str], lines: list[str]
) -> None:
    run = Run(capsys, "solve", "gipf", "--params", params, *options)
    assert (run.status, run.lines) == (0, lines)


def test_the_result_is_named_by_who_began_not_by_who_moves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for side, result in (("W", "first"), ("B", "second")):
        file = write(tmp_path, SMALL.replace("2 2 W", f"2 2 {side}"))
        assert Run(capsys, "solve", "gipf", "--position", file).lines == [f"result {result}", "plies 1"]


# What is refused


@pytest.mark.parametrize("command", [["solve", "gipf"], ["perft", "gipf", "--depth", "1"]])
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "the text is empty"),
        ("\n4 4 5 5\n1 1 W\nW W W W W\n", "line 4: row 1 has 4 fields, not 5"),
        (SMALL.replace("_", "?"), "line 4: a field is W, B or _, not '?'"),
        (SMALL.replace("2 2 W", "3 2 W"), "white's pieces: 3 on the board and 3 in reserve"),
        ("\udcff", "line 1"),
    ],
)
def test_a_bad_position_is_named_by_file_and_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str], text: str,
    named: str,
) -> None:  # fmt: skip
    content = text.encode(errors="surrogateescape")
    path = tmp_path / "position.txt"
    path.write_bytes(content)
    feed(monkeypatch, content)
    for file, place in ((str(path), str(path)), ("-", "standard input")):
        run = Run(capsys, *command, "--position", file)
        assert (run.status, run.lines, len(run.complaints)) == (2, [], 1)
        assert run.complaints[0].startswith(f"arena-engine: {place}: ")
        assert named in run.complaints[0]


def test_an_endless_file_is_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"x" * (inputs.MAX_BYTES + 1))
    run = Run(capsys, "solve", "gipf", "--position", "-")
    assert (run.status, len(run.complaints)) == (2, 1)
    assert run.complaints[0].startswith(f"arena-engine: standard input: longer than {inputs.MAX_BYTES} bytes")


def test_a_fault_of_the_program_has_a_status_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*_: object, **__: object) -> int:
        raise OverflowError("no room")

    monkeypatch.setattr("engine.games.perft._count", too_large)
    run = Run(capsys, "perft", "gipf", "--depth", "1", "--interpreted")
    assert (run.status, run.complaints) == snapshot((1, ["arena-engine: too large for this machine: no room"]))


# As a process


def start(*arguments: str, **options: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "engine", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )  # type: ignore[call-overload]


@pytest.mark.slow("interpreted")
def test_help_is_on_stdout_and_imports_nothing_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does what is solved in a moment, or its proof."""
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    code = (
        "import sys; from engine.cli import run; assert run(['shell', 'mnk']) == 0;"
        "assert 'cyclopts' not in sys.modules;"
        "assert run(['--help']) == 0;"
        f"assert run(['solve', 'gipf', '--params', '3 3 4 4', '--proof', {os.devnull!r}]) == 0;"
        "print(sorted({'numba', 'numpy', 'trio'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], input=b"", capture_output=True, check=True, timeout=WAIT_SECONDS
    )
    assert all(command.name.encode() in found.stdout for command in cli.COMMANDS)
    assert found.stdout.splitlines()[-1] == b"[]"


@pytest.mark.slow("interpreted")
@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")
def test_ctrl_c_ends_a_search_at_once_and_quietly() -> None:
    with start("solve", "gipf", "--params", "3 3 15 15") as process:
        assert process.stderr is not None
        process.stderr.readline()  # the first progress: the search is at work
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == -signal.SIGINT
    assert output == b""
    assert b"Traceback" not in errors


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")
@pytest.mark.slow("interpreted")
def test_a_closed_pipe_ends_a_count_quietly() -> None:
    with start("perft", "gipf", "--depth", "30", "--interpreted") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"perft 1 42 ")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(WAIT_SECONDS) == -signal.SIGPIPE


@pytest.mark.parametrize("command", ["check -", "export -", "analyse gipf --position -"])
def test_a_hyphen_is_standard_input_and_a_byte_order_mark_is_no_part_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """But for ``record``: a record is one text alone, to the byte."""
    feed(monkeypatch, "\ufeffsomething".encode())
    told = "".join(Run(capsys, *command.split()).complaints)
    assert told.count("standard input: ") == 1 and not re.search(r"\ufeff|\\ufeff", told)


def test_analyse_prints_a_line_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["analyse", "gipf", "--params", "5 4 18 18", "--depth", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["depth", "1"], ["depth", "2"]]
    assert cli.run(["analyse", "gipf", "--params", "3 3 6 6", "--depth", "3", "--json"]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [found["depth"] for found in objects] == [1, 2, 3]
    assert {"depth", "score", "nodes", "seconds", "pv"} <= objects[0].keys()
    position = start_of("gipf", "3 3 6 6")
    for move in objects[-1]["pv"]:
        position = position.play(move)


def test_analyse_says_that_nothing_was_searched(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyse", "gipf", "--params", "5 4 18 18", "--time", "1e-9"]
    assert cli.run(command) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert re.sub(r"(seconds|rate) \S+", r"\1 N", line) == snapshot(
        "depth 0 score none nodes 1 seconds N rate N pv none"
    )
    assert cli.run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["depth"], told["score"], told["plies_to_end"], told["nodes"], told["pv"]) == (0, None, None, 1, [])
