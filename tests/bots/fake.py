"""A server that plays from a script, for tests of clients.

A script has a step a line; each connection has a script of its own:

    < LINE       the server says LINE; lines that follow each other are sent in one piece
    <<TEXT       the server sends TEXT and no newline, in a piece of its own
    > LINE       the client must say LINE next; a line that ends in * stands for every line that begins so, and lines
                 of STDERR that a script does not mention are left out
    ? LINE       the client may say LINE before the line of the next >, as often as it likes; * as above
    drop         the connection is closed
    reset        the connection is cut, and what is under way on it is lost
    hold         nothing is sent until the client closes

A connection ends with its script, which has to account for every line of the client.
"""

import socket
import struct
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO

from tests.server.process import wait_until
from tests.waiting import WAIT_SECONDS


class FakeServer:
    """Serve one connection after the other as their scripts say; what went wrong is raised on leaving."""

    def __init__(self, *scripts: str) -> None:
        """Listen on a free port of this machine."""
        self._scripts = scripts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(WAIT_SECONDS)
        self.port: int = self._listener.getsockname()[1]
        self.said: list[str] = []
        self._wrong: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "FakeServer":
        """Begin to serve."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait until every script has been played."""
        if error is None:
            self._thread.join(WAIT_SECONDS)
        self._listener.close()
        if error is None:
            assert not self._thread.is_alive(), "the scripts have not come to their end"
        assert not self._wrong or error is not None, "\n".join(self._wrong)
        if self._wrong and error is not None:
            error.add_note("\n".join(self._wrong))

    def wait_for(self, line: str) -> None:
        """Wait until the client has said a line."""
        wait_until(lambda: line in self.said)

    def _serve(self) -> None:
        for number, script in enumerate(self._scripts, 1):
            try:
                connection, _ = self._listener.accept()
                connection.settimeout(WAIT_SECONDS)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with connection, connection.makefile("rb") as lines:
                    self._play(script, connection, lines)
            except (OSError, AssertionError) as error:
                self._wrong.append(f"connection {number}: {error!r}; the client said {self.said}")
                self._turn_away()
                return
        self._listener.close()  # who comes still is refused at once

    def _turn_away(self) -> None:
        """End whoever comes back: nothing is left to be shown."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    connection.sendall(b"BYE wrong the script has gone wrong\n")

    def _play(self, script: str, connection: socket.socket, lines: BinaryIO) -> None:
        queued = b""
        possible: tuple[str, ...] = ()
        for step in [*map(str.strip, script.strip().splitlines()), "end"]:
            if step.startswith("<") and not step.startswith("<<"):
                queued += step[2:].encode() + b"\n"
                continue
            connection.sendall(queued)
            queued = b""
            if step.startswith("<<"):
                time.sleep(0.01)  # so that the client reads the piece alone
                connection.sendall(step[2:].encode())
                time.sleep(0.01)
            elif step.startswith("?"):
                possible = (*possible, step[2:])
            elif step.startswith(">"):
                self._expect(step[2:], possible, lines)
                possible = ()
            elif step == "drop":
                return
            elif step == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            elif step == "hold":
                for line in lines:
                    self.said.append(line.decode().rstrip("\n"))
                return
        connection.shutdown(socket.SHUT_WR)
        rest = lines.readline()
        assert not rest, f"the client said more than the script knows: {rest!r}"

    def _expect(self, wanted: str, possible: Sequence[str], lines: BinaryIO) -> None:
        left_out = (*possible, "STDERR *") if not wanted.startswith("STDERR ") else possible
        line = lines.readline().decode().rstrip("\n")
        while not _fits(line, wanted) and any(_fits(line, one) for one in left_out):
            self.said.append(line)
            line = lines.readline().decode().rstrip("\n")
        self.said.append(line)
        assert _fits(line, wanted), f"{wanted!r} was to come, not {line!r}"


def _fits(line: str, wanted: str) -> bool:
    return line.startswith(wanted[:-1]) if wanted.endswith("*") else line == wanted
