"""The server as a process of its own, over real sockets and in real time, and a client of it."""

import inspect
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Self, TextIO

from engine.games.catalogue import GAMES
from engine.wire import messages as m
from engine.wire.ends import ClientEnd
from tests.waiting import BUILD_SECONDS, WAIT_SECONDS

LOOK_SECONDS = 0.01


def wait_until(true: Callable[[], object], pause: float = LOOK_SECONDS, most: float = WAIT_SECONDS) -> None:
    """Wait until something is true, for ``most`` seconds; look again after each pause, in seconds."""
    deadline = time.monotonic() + most
    while not true():
        assert time.monotonic() < deadline, f"waited in vain for {inspect.getsource(true).strip()}"
        time.sleep(pause)


class RunningProgram:
    """A running program of a room; it ends with its ``with``."""

    def __init__(self, *words: str, stderr: int = subprocess.PIPE, **options: Any) -> None:
        """Start it; further options are those of `subprocess.Popen`."""
        command = [sys.executable, "-P", "-m", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; return its exit status, and what it has said on stdout and stderr."""
        said, complained = self.process.communicate(timeout=BUILD_SECONDS)
        return self.process.returncode, said, complained


def run_program(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program of a room to its end; further options are those of `subprocess.Popen`."""
    with RunningProgram(*words, **options) as program:
        return subprocess.CompletedProcess(words, *program.end())


class ServerProcess:
    """A server over a data directory. A ``with`` starts it, and kills it in the end.

    Started again, it has the same port.
    """

    variables: ClassVar[Mapping[str, str]] = {}
    """Environment variables that differ from those of the tests."""

    def __init__(
        self,
        data: Path,
        *options: str,
        program: tuple[str, ...] = ("server",),
        pages: tuple[str, ...] = ("--no-web",),
        folder: Path | None = None,
        python: str = sys.executable,
    ) -> None:
        """Take its options, the folder in which it is started, and the interpreter that runs it."""
        self.data = data
        self.port = free_port()
        self.process: subprocess.Popen[str]
        self._command = [python, "-P", "-m", *program, "serve", *pages, "--data", str(data), *options]
        self._folder = folder
        self._logged: list[list[str]] = []
        """The lines of each process that was started."""

    def __enter__(self) -> Self:
        self.start()
        self.wait()
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()

    @property
    def log(self) -> str:
        """The log of all its processes so far."""
        return "".join(line for lines in self._logged for line in lines)

    def start(self) -> None:
        """Start it; `wait` tells when it lets clients in."""
        self._began = time.monotonic()
        command = [*self._command, "--port", str(self.port)]
        environment = {**os.environ, **self.variables}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=self._folder, env=environment, text=True)
        self._logged.append([])
        assert self.process.stderr is not None
        # read at once: a full pipe would lose lines
        self._reader = threading.Thread(target=_read, args=(self.process.stderr, self._logged[-1]), daemon=True)
        self._reader.start()

    def wait(self) -> float:
        """Wait until it lets clients in; return how long that took from its start, in seconds."""
        self.logs("server_listening")
        return time.monotonic() - self._began

    def logs(self, words: str) -> str:
        """Wait until the process that was started last has logged a line with such words, and return it."""
        while time.monotonic() < self._began + WAIT_SECONDS:
            ended = self.process.poll() is not None
            if found := next((line for line in list(self._logged[-1]) if words in line), ""):
                return found
            assert not ended or self._reader.is_alive(), f"the server ended: {self.log}"
            time.sleep(LOOK_SECONDS)
        raise AssertionError(f"{words!r} was not logged: {self.log}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal, and return its exit status; by then all is read that it and its bots have logged."""
        self.process.send_signal(number)
        status = self.process.wait(WAIT_SECONDS)
        self._reader.join(WAIT_SECONDS)
        return status

    def kill(self) -> None:
        """Kill it, if it has not ended."""
        self.process.kill()
        self.process.wait()


def _read(stream: TextIO, lines: list[str]) -> None:
    with stream:
        for line in stream:
            lines.append(line)  # noqa: PERF402  # others read the list meanwhile


class Client:
    """A peer on a blocking socket."""

    def __init__(self, port: int, name: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
        self.end = ClientEnd()
        self.heard: list[Any] = []
        self.token = ""
        if name:
            self.say(m.Login(name))

    def say(self, message: m.Message) -> None:
        self.socket.sendall(self.end.send(message))

    def hear(self, *kinds: type) -> Any:
        """Return the next message of one of the kinds; the others before it are dropped."""
        while True:
            while not self.heard:
                data = self.socket.recv(65536)
                assert data, f"closed before {kinds}"
                self.heard += self.end.receive(data)
            message = self.heard.pop(0)
            if isinstance(message, m.Match):
                self.token = message.token
            if isinstance(message, kinds):
                return message

    def ask(self, message: m.Message, kind: type) -> Any:
        """Say something, and return the next message of a kind."""
        self.say(message)
        return self.hear(kind)

    def close(self) -> None:
        self.socket.close()


def seat(first: Client, second: Client, options: str, game: str = "gipf") -> int:
    """Pair two clients and begin their match, in which the first one moves first; return its number."""
    first.ask(m.Seek(game, m.Text(f"{options} colour={GAMES[game].sides[0]}")), m.Seeking)
    second.say(m.Seek(game, m.Text(options)))
    match = max(client.hear(m.Match).match for client in (first, second))
    for client in (first, second):
        client.say(m.Ready())
    for client in (first, second):
        client.hear(m.Start)
    return match


@contextmanager
def pair(port: int, options: str = "budget=86400000") -> Iterator[tuple[Client, Client]]:
    """Two clients in a match in play; the first begins."""
    with closing(Client(port, "ann")) as first, closing(Client(port, "bob")) as second:
        seat(first, second, options)
        yield first, second


FIRST_PORT, LAST_PORT = 12_000, 32_000
"""Ports below those that systems give by themselves: no other connection or server takes one."""

PORTS_OF_WORKER = 1_000
"""Number of ports of each process that runs tests."""

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = count(FIRST_PORT + (_worker * PORTS_OF_WORKER + os.getpid() * 8) % (LAST_PORT - FIRST_PORT))


def free_port() -> int:
    """Return a port on which nobody listens, and that nobody gets by chance while its server is away."""
    while True:
        port = FIRST_PORT + (next(_ports) - FIRST_PORT) % (LAST_PORT - FIRST_PORT)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
