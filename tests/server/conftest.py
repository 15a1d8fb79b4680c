"""Fixtures of several rooms of the server."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trio
from trio.testing import MockClock

from server.contest.programs.sandbox.seal import sandbox_obstacle
from tests.server.harness import ArenaHarness, open_arena
from tests.server.machines import Machines


@pytest.fixture
async def harness(tmp_path: Path, autojump_clock: MockClock) -> AsyncIterator[ArenaHarness]:
    """Run an arena on a simulated clock. The test names the clock too: pytest-trio looks at its own arguments alone."""
    async with open_arena(tmp_path) as harness:
        yield harness


@pytest.fixture(scope="session")
def needs_sandbox() -> None:
    """Skip the test where programs cannot be sealed. To find out takes a second."""
    if why := sandbox_obstacle():
        pytest.skip(why)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Start a cluster of dask, and end it behind the test."""
    found = Machines(tmp_path)
    yield found
    found.end()


class CommandResult(NamedTuple):
    """How a command has ended."""

    status: int
    out: list[str]
    err: list[str]

    @property
    def fault(self) -> str:
        """The one line that a command line is refused with, without the name of the program."""
        (line,) = self.err
        assert line.startswith("arena-") and self.status in (1, 2)
        return line.partition(": ")[2]


Run = Callable[..., CommandResult]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Return a function that runs ``arena-server``, or the program of another room, in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    for module in ("server.cli", "server.commands.contest"):  # loggers would keep the output of this test
        monkeypatch.setattr(f"{module}.configure", lambda **_: None)

    def run(*words: str, room: str = "server") -> CommandResult:
        main: Any = import_module(f"{room}.cli").main
        monkeypatch.setattr(sys, "argv", [f"arena-{room}", *words])
        status = 0
        try:
            main(list(words)) if room == "bots" else main()
        except SystemExit as ended:
            status = int(ended.code or 0)
        said = capsys.readouterr()
        return CommandResult(status, said.out.splitlines(), said.err.splitlines())

    return run


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do at once what is done in a thread: a simulated clock would run on meanwhile."""

    async def run_sync(work: Callable[..., Any], *args: Any, **_: Any) -> Any:
        await trio.lowlevel.checkpoint()
        result = work(*args)
        await trio.lowlevel.checkpoint()
        return result

    monkeypatch.setattr(trio.to_thread, "run_sync", run_sync)
