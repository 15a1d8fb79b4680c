"""Writing the log never stops the server: not by waiting, and not by failing."""

import ast
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from engine.wire import messages as m
from server.ops import logs
from server.ops.logs import NonBlockingWriter
from tests.conftest import what_is_logged
from tests.server.process import RunningProgram, pair
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[3]
PIPE = 1 << 20
"""More than a pipe holds."""
LEVELS = ("debug", "info", "warning", "error", "exception", "critical")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


@pytest.fixture
def stderr(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Log into a pipe; return where it can be read."""
    with open(pipe[1], "w", closefd=False) as file:
        monkeypatch.setattr(sys, "stderr", file)
        logs.configure()
        yield pipe[0]


def test_the_log_that_a_test_configures_is_undone_behind_it() -> None:
    fixture = what_is_logged.__wrapped__()  # type: ignore[attr-defined]
    next(fixture)
    logs.configure(quiet=True)
    next(fixture, None)
    with capture_logs() as events:
        logs.log.info("match_ended")
    assert events


def everything(reader: int) -> bytes:
    """Read what there is."""
    os.set_blocking(reader, False)
    text = b""
    try:
        while data := os.read(reader, 65536):
            text += data
    except BlockingIOError:
        pass
    return text


def test_a_pipe_that_nobody_reads_loses_whole_lines_and_says_how_many(stderr: int) -> None:
    log = structlog.get_logger()
    line = "x" * 1000
    for number in range(PIPE // 1000):
        log.info(line, number=number)
    text = everything(stderr)
    log.info("read again")
    log.info("once more")
    text += everything(stderr)
    lines = text.decode().splitlines()
    written = [line for line in lines if "number=" in line]
    assert [line.rpartition("number=")[2] for line in written] == [str(number) for number in range(len(written))]
    assert 'event="read again"' in lines[-2]
    assert f"lines_lost={PIPE // 1000 - len(written)}" in lines[-2]
    assert 'event="once more"' in lines[-1]
    assert "lines_lost" not in lines[-1]


def test_others_who_write_into_the_pipe_are_made_to_wait_as_ever(pipe: tuple[int, int]) -> None:
    with open(pipe[1], "w", closefd=False) as file:
        NonBlockingWriter(file)
        assert os.get_blocking(pipe[1])


def test_a_full_disk_raises_nothing() -> None:
    with open("/dev/full", "w") as file:
        log = NonBlockingWriter(file)
        log.write("a line\n")
        log.flush()


@pytest.mark.slow
def test_a_server_goes_on_when_whoever_has_read_its_log_is_gone(tmp_path: Path) -> None:
    with RunningProgram("server", "serve", "--no-web", "--port", "0", "--data", str(tmp_path)) as program:
        process = program.process
        assert process.stderr is not None
        log = ""
        while not (found := re.search(r"ports=\[([0-9]+)", log)):
            log += (line := process.stderr.readline())
            assert line, log
        process.stderr.close()
        for _ in range(2):
            with pair(int(found[1])) as (ann, bob):
                ann.say(m.Resign())
                assert bob.hear(m.Result).reason == "resign"
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) == 0
    assert len(list((tmp_path / "records").iterdir())) == 2


@pytest.mark.slow
def test_every_event_has_a_name_that_can_be_searched_for_and_is_documented_with_its_fields() -> None:
    lines = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[1:-1] for line in lines if re.match(r"\| `\w+` \|", line)]
    documented = {row[0].strip(" `"): set(re.findall(r"`(\w+)`", row[3])) for row in rows}
    assert len(documented) == len(rows)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in documented)
    logged: dict[str, set[str | None]] = {}
    for path in ROOT.glob("server/**/*.py"):
        for name, fields in events_in(path) if "log." in path.read_text(encoding="utf-8") else ():
            logged.setdefault(name, set()).update(fields)
    assert documented.keys() == logged.keys()
    # some fields depend on the fault: what is passed as a dictionary has names that are not seen here
    known = {name: fields for name, fields in logged.items() if None not in fields}
    assert known == {name: documented[name] for name in known}
    assert all(logged[name] - {None} < documented[name] for name in logged.keys() - known)


def events_in(path: Path) -> Iterator[tuple[str, set[str | None]]]:
    """Find the events that a module logs, by name and fields; None stands for those of a dictionary."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and any(
            isinstance(part, ast.Attribute) and is_logger(part) for part in ast.walk(node.func)
        ):
            assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
            yield (
                str(node.args[0].value),
                {"exception" if word.arg == "exc_info" else word.arg for word in node.keywords},
            )


def is_logger(node: ast.Attribute) -> bool:
    """Tell whether an expression is a method of a module's logger, as ``log.info``."""
    return isinstance(node.value, ast.Name) and node.value.id == "log" and node.attr in LEVELS
