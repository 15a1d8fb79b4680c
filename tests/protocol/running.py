"""A server as a process of its own, and a client of plain sockets."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "protocol.md"

START_SECONDS = 300.0
"""What a server gets to start, on a machine that is busy with other tests."""

ANSWER_SECONDS = 300.0
"""What it gets for an answer."""


class Server:
    """A server that runs, and keeps its files in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        """Start it; it chooses its port."""
        self.log = folder / "log.txt"
        self.port = 0
        self._folder, self._options = folder, options
        self.log.touch()
        self.process = self._start()

    def stop(self) -> None:
        """Tell it to stop, and wait for its end."""
        self.process.terminate()
        assert self.process.wait(START_SECONDS) == 0

    def die(self) -> None:
        """Kill it, and start it again where it was."""
        self.process.kill()
        self.process.wait()
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        where = ("--port", str(self.port), "--data", str(self._folder / "data"))
        command = [sys.executable, "-m", "server", "serve", "--no-web", *where, *self._options]
        before = self.log.stat().st_size
        with self.log.open("ab") as file:
            process = subprocess.Popen(command, stderr=file, cwd=self._folder)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            found = re.search(r"ports=\S*?([0-9]+)", self.log.read_text(encoding="utf-8")[before:])
            if found:
                self.port = int(found[1])
                return process
            time.sleep(0.01)
        process.kill()
        process.wait()
        raise AssertionError(f"the server does not start: {self.log.read_text(encoding='utf-8')}")


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Run a server that keeps its files in a folder."""
    server = Server(folder, *options)
    try:
        yield server
    finally:
        server.process.terminate()
        try:
            server.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            server.process.kill()
            server.process.wait()
    assert not re.search("fault|level=error", server.log.read_text(encoding="utf-8"))


class Client:
    """A connection on which lines are said and heard."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
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
