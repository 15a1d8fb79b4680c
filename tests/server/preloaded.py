"""Processes of our programs whose modules are loaded once: each start is a fork, and takes a quarter of the time.

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
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LOADED = ("server.cli", "server.serve", "server.commands.run_contest", "server.commands.match.run", "bots.cli")
"""What the programs load."""

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
    status = 0
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    print(end="", flush=True)
    os._exit(status)


class ForkedProgram:
    """A program that was forked; it has the methods of `subprocess.Popen` that tests need."""

    def __init__(self, words: tuple[str, ...], merged: bool, cwd: Path | None, env: Mapping[str, str]) -> None:
        """Start a module with its arguments; with ``merged``, stderr goes to the same pipe as stdout."""
        context = get_context("forkserver")
        context.set_forkserver_preload(list(LOADED))
        pipes = [context.Pipe(duplex=False) for _ in range(1 if merged else 2)]
        files = pipes[0][1], pipes[-1][1]
        self._process = context.Process(target=_run, args=(words, str(cwd or Path.cwd()), dict(env), files))
        self._process.start()
        self.pid = self._process.pid or 0
        self._files = [os.fdopen(os.dup(end.fileno()), encoding="utf-8") for end, _ in pipes]
        self.stdout, self.stderr = self._files[0], self._files[-1]
        for end in (end for pipe in pipes for end in pipe):
            end.close()

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None, f"it has not ended within {timeout} seconds"
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and return the rest of its output."""
        with ThreadPoolExecutor() as pool:
            reading = [pool.submit(file.read) for file in self._files if not file.closed]
            try:
                self.wait(timeout)
            finally:
                self.kill()
        for file in self._files:
            file.close()
        said = [one.result() for one in reading]
        return "".join(said[:1]), "".join(said[1:])


def start_program(
    room: str, *words: str, merged: bool = False, cwd: Path | None = None, env: Mapping[str, str] = os.environ
) -> Any:
    """Start the program of a room, forked where that can be; return it like `subprocess.Popen`, with pipes."""
    if sys.platform == "linux" and {name: env[name] for name in env if name.startswith("PYTHON")} == OPTIONS:
        return ForkedProgram((room, *words), merged, cwd, env)
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    command = [sys.executable, "-P", "-m", room, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=cwd, env=env, text=True)
