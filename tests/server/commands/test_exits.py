"""How commands end: a port that is taken, Ctrl-C at every stage and twice, as real processes. Never a traceback."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from server.commands import options
from server.net.admission import CannotListen
from server.storage.database import BadStore
from tests.server.conftest import Run
from tests.server.process import wait_until
from tests.waiting import WAIT_SECONDS


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", *words]


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a group of its own, as a shell does; it ends with the ``with``."""
    with subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for its end; return its exit status and what it wrote on stderr."""
    _, errors = process.communicate(timeout=WAIT_SECONDS)
    return process.returncode, errors


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


CONTEST = """
name = "Two"
time = { budget = 60_000 }
entrants = [{ name = "ann" }, { name = "bob" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


def words_of(kind: str, tmp_path: Path, port: int) -> tuple[str, ...]:
    data = ("--data", str(tmp_path / "data"), "--port", str(port))
    if kind == "serve":
        return ("server", "serve", "--no-web", *data)
    (tmp_path / "contest.toml").write_text(CONTEST, encoding="utf-8")
    return ("server", "contest", str(tmp_path / "contest.toml"), *data)


def test_a_port_that_is_taken_is_named_with_what_to_do(tmp_path: Path, run: Run, taken: int) -> None:
    done = run(*words_of("contest", tmp_path, taken)[1:])
    assert f"127.0.0.1, port {taken} " in done.fault and "--port" in done.fault and "Errno" not in done.fault


WORKS = {
    "serve": "event=server_listening",
    "demo": "the server listens",
    "engine": "perft 1 ",
}
"""Output of a command that has begun its work."""

STATUS = {"engine": -signal.SIGINT}
"""How it ends by Ctrl-C then, where that is not `server.commands.options.INTERRUPTED`."""

HANGS = "import pathlib, time\npathlib.Path({told!r}).touch()\ntime.sleep(100_000)\n"
"""In place of a module that every command imports first."""


def wait_until_it_works(process: subprocess.Popen[str], kind: str) -> None:
    said = process.stderr if kind == "serve" else process.stdout
    assert said is not None
    while WORKS[kind] not in (line := said.readline()):
        assert line, "it has ended"


def words_of_any(kind: str, tmp_path: Path) -> tuple[str, ...]:
    words = {
        "demo": ("server", "demo", "--first", "alphabeta:9", "--second", "random", "--budget", "86400000"),
        "engine": ("engine", "perft", "gipf", "--depth", "9", "--interpreted"),
    }
    return words.get(kind) or (*words_of(kind, tmp_path, 0), "--verbose")


@pytest.mark.slow
@pytest.mark.parametrize("room", ["server", "bots", "engine"])
def test_ctrl_c_while_a_command_is_loaded_ends_it_as_a_signal_that_nobody_handles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: str
) -> None:
    told = tmp_path / "told"
    (tmp_path / "cyclopts.py").write_text(HANGS.format(told=str(told)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with started(room) as process:
        wait_until(told.exists)
        os.killpg(process.pid, signal.SIGINT)
        assert ended(process) == (-signal.SIGINT, "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param("demo", marks=pytest.mark.thorough), "engine"])
def test_ctrl_c_ends_what_a_command_does_without_a_traceback(tmp_path: Path, kind: str) -> None:
    with started(*words_of_any(kind, tmp_path)) as process:
        wait_until_it_works(process, kind)
        os.killpg(process.pid, signal.SIGINT)
        status, errors = ended(process)
    assert "Traceback" not in errors, errors
    assert status == STATUS.get(kind, options.INTERRUPTED), errors


@pytest.mark.slow
@pytest.mark.thorough
def test_more_ctrl_c_while_it_ends_shows_no_traceback(tmp_path: Path) -> None:
    with started(*words_of_any("serve", tmp_path)) as process:
        wait_until_it_works(process, "serve")
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        _, errors = ended(process)
    assert "Traceback" not in errors, errors


def test_what_ends_a_command_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    async def fails(*errors: BaseException) -> None:
        async with trio.open_nursery():
            raise errors[0] if len(errors) == 1 else BaseExceptionGroup("several", errors)

    before = signal.getsignal(signal.SIGINT)
    try:
        for errors, status, words in [
            ((KeyboardInterrupt(), ValueError("behind it")), options.INTERRUPTED, "stopped at once by Ctrl-C"),
            ((CannotListen("cannot listen on there"),), options.FAILED, "cannot serve: cannot listen on there"),
            ((BadStore("damaged"), OSError("other")), options.FAILED, "cannot serve: damaged"),
        ]:
            with pytest.raises(SystemExit) as caught:
                options.run_async("cannot serve", fails, *errors)
            assert caught.value.code == status
            said = capsys.readouterr().err
            assert said.startswith("arena-server: ") and words in said and said.count("\n") == 1
        with pytest.raises(BaseExceptionGroup):
            options.run_async("cannot serve", fails, ValueError("a bug"))
    finally:
        signal.signal(signal.SIGINT, before)
