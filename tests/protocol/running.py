"""A server for clients that are threads or processes, and a client of plain sockets."""

import re
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import trio

from server.config.settings import Settings
from server.league.ladder.definition import LadderDefinition
from server.serve import serve
from tests.server.harness import logged
from tests.server.process import ServerProcess
from tests.waiting import WAIT_SECONDS

DOCUMENT = Path(__file__).parents[2] / "protocol.md"


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[ServerProcess]:
    """Run a server that keeps its files in a folder; it must have logged no fault when it is stopped."""
    with ServerProcess(folder / "data", *options, folder=folder) as server:
        yield server
        assert server.stop() == 0
    assert not re.search("fault|level=error", server.log)


@asynccontextmanager
async def serving_here(data: Path, ladder: LadderDefinition | None = None, **settings: Any) -> AsyncIterator[int]:
    """Run a server in this process, for clients in other threads and processes; yield its port.

    It must have logged no fault when it is stopped. A server process would spend most of its time on imports.
    """
    with logged() as log:
        async with trio.open_nursery() as nursery:
            arena = await nursery.start(serve, Settings(port=0, data=data, **settings), None, ladder)
            yield arena.ports[0]
            arena.closing.set()
    assert not re.search("fault|level=error", log.getvalue())


class Client:
    """A connection on which lines are said and heard."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
        self._lines = self._socket.makefile("rb")
        self._heard: list[str] = []
        self.closed = False

    def say(self, line: str) -> None:
        try:
            self._socket.sendall(f"{line}\n".encode())
        except OSError:
            assert self._hear() == "", "a connection broke before it was read to its end"

    def _hear(self) -> str:
        try:
            return self._lines.readline().decode()
        except ConnectionError:
            return ""

    def wait(self) -> None:
        """Wait until a line is there to be heard."""
        if not self._heard:
            line = self._hear()
            assert line, "the connection was closed"
            self._heard.append(line.removesuffix("\n"))

    def hear(self, fence: str) -> list[str]:
        """Return all that was said before an answer to a PING with this text; to the end where there is none."""
        self.say(f"PING {fence}")
        while (line := self._hear()) not in ("", f"PONG {fence}\n"):
            assert line.endswith("\n")
            self._heard.append(line.removesuffix("\n"))
        self.closed = line == ""
        heard, self._heard = self._heard, []
        return heard

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
