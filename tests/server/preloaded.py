"""Processes of our programs whose modules are loaded once: each start is a fork, and takes a tenth of the time.

A process that proves how it is loaded, or what it inherits, is started by `subprocess` itself.
"""

import atexit
import os
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

LOADED = ("server.cli", "server.serve", "server.commands.run_contest", "server.commands.match.run", "bots.cli")
"""What the programs load."""

CAN_FORK = sys.platform == "linux" and "forkserver" in get_all_start_methods()

OPTIONS = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
"""Variables that the interpreter reads when it starts."""


def _run(words: tuple[str, ...], folder: str, variables: dict[str, str], files: tuple[Connection, ...]) -> None:
    """Run a module of ours as a program, and end as an interpreter does: threads first, then what is registered.

    `multiprocessing` would wait for processes before it told the threads that own them to end.
    """
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    for file in files:
        file.close()
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.argv = list(words)
    status: object = 1
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ended:
        status = ended.code or 0
    except BaseException:
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 1)


class ForkedProgram:
    """A program that was forked; it has the methods of `subprocess.Popen` that tests need."""

    def __init__(
        self, words: tuple[str, ...], *, merged: bool, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """Start a module with its arguments; with ``merged``, stderr goes to the same pipe as stdout."""
        context = get_context("forkserver")
        context.set_forkserver_preload(list(LOADED))
        out = context.Pipe(duplex=False)
        errors = out if merged else context.Pipe(duplex=False)
        arguments = words, str(cwd or Path.cwd()), dict(os.environ if env is None else env), (out[1], errors[1])
        self._process = context.Process(target=_run, args=arguments)
        self._process.start()
        for end in {out[1], errors[1]}:
            end.close()
        assert self._process.pid is not None
        self.pid = self._process.pid
        self.stdout, self.stderr = _file(out[0]), None if merged else _file(errors[0])

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and return the rest of its output."""
        found = ["", ""]

        def read(place: int, file: TextIO | None) -> None:
            if file is not None and not file.closed:
                with file:
                    found[place] = file.read()

        readers = [
            threading.Thread(target=read, args=end, daemon=True) for end in enumerate((self.stdout, self.stderr))
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        return found[0], found[1]


def _file(end: Connection) -> TextIO:
    with end:
        return open(os.dup(end.fileno()), encoding="utf-8")


def start_program(
    room: str, *words: str, merged: bool = False, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Any:
    """Start the program of a room, forked where that can be; return it like `subprocess.Popen`, with pipes."""
    given = os.environ if env is None else env
    if CAN_FORK and {name: value for name, value in given.items() if name.startswith("PYTHON")} == OPTIONS:
        return ForkedProgram((room, *words), merged=merged, cwd=cwd, env=env)
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    command = [sys.executable, "-P", "-m", room, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=cwd, env=env, text=True)
