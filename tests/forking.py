"""Programs of the arena as processes that are forked from one that has loaded them.

To load the server takes longer than most tests that start one. `Forked` is a `subprocess.Popen` for command lines of
the form ``python -P -m PROGRAM ...``: what it starts has arguments, environment, folder and pipes of its own. That the
modules can be loaded is shown by others: the tests of an installed wheel and of single commands, and the bots and
workers that each server starts.
"""

import atexit
import gc
import json
import os
import random
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import Any

PROGRAMS = ("server", "bots", "engine")

LOADED = (
    "server.cli",
    "server.serve",
    "server.web.app",
    "server.commands.match.run",
    "bots.cli",
    "bots.client.run",
    "engine.cli",
    "engine.commands.duel",
)

AT_THE_START = ("PYTHON", "LC_", "LANG")
"""How the names of variables begin that the interpreter reads when it starts."""

NUMBER = struct.Struct("i")

MAX_REQUEST = 1 << 17

_lock = threading.Lock()
_source: socket.socket | None = None
_read_at_the_start: dict[str, str] = {}


class Forked(subprocess.Popen[str]):
    """A process of a program, forked; started by itself where the command line or the environment is an unusual one."""

    def __init__(self, words: list[str], **options: Any) -> None:
        self._ended: int | None = None
        super().__init__(words, text=True, **options)

    def _execute_child(self, words: Any, *options: Any) -> None:
        execute: Any = super()._execute_child  # type: ignore[misc]
        _, preexec_fn, _, pass_fds, folder, environment, _, _, shell, *pipes = options[:15]
        environment = dict(os.environ if environment is None else environment)
        with _lock:
            source = _forking()
        is_usual = words[:3] == [sys.executable, "-P", "-m"] and words[3] in PROGRAMS
        if not is_usual or _interpreter_reads(environment) != _read_at_the_start or preexec_fn or pass_fds or shell:
            execute(words, *options)
            return
        p2cread, _, _, c2pwrite, _, errwrite = pipes
        folder = os.fspath(folder or os.getcwd())
        request = {"words": words[3:], "folder": folder, "environment": environment, "session": bool(options[20])}
        self._ended, told = os.pipe()
        given = [number if number >= 0 else usual for usual, number in enumerate((p2cread, c2pwrite, errwrite))]
        with _lock:
            socket.send_fds(source, [json.dumps(request).encode()], [*given, told])
        os.close(told)
        self.pid = NUMBER.unpack(os.read(self._ended, NUMBER.size))[0]
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self._ended is None:
            polled: int | None = super()._internal_poll(*_, **__)  # type: ignore[misc]
            return polled
        return self._look(0)

    def _wait(self, timeout: float | None) -> int:
        if self._ended is None:
            return int(super()._wait(timeout))  # type: ignore[misc]
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and self._ended is not None and select.select([self._ended], [], [], seconds)[0]:
            self.returncode = os.waitstatus_to_exitcode(NUMBER.unpack(os.read(self._ended, NUMBER.size))[0])
            os.close(self._ended)
        return self.returncode


def _interpreter_reads(environment: dict[str, str]) -> dict[str, str]:
    read = {name: value for name, value in environment.items() if name.startswith(AT_THE_START)}
    read.pop("PYTHONPATH", None)
    return read


def _forking() -> socket.socket:
    """Return where processes are asked for; starts what forks them, which ends with this process."""
    global _source
    if _source is None:
        _read_at_the_start.update(_interpreter_reads(dict(os.environ)))
        _source, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        _source.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_REQUEST)
        with theirs:
            words = [sys.executable, "-P", "-m", __name__, str(theirs.fileno())]
            atexit.register(_end, subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL))
    return _source


def _end(process: "subprocess.Popen[bytes]") -> None:
    if _source is not None:
        _source.close()
    process.wait()


def main() -> None:
    """Load everything, and fork a process for each request; in each, this returns as the program does."""
    gc.disable()
    for module in LOADED:
        import_module(module)
    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = socket.socket(fileno=int(sys.argv[1]))
    while True:
        content, given, _, _ = socket.recv_fds(asked, MAX_REQUEST, 4)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # those that have waited for programs
                pass
        if not content:
            return
        if os.fork() == 0:
            asked.close()
            break
        for number in given:
            os.close(number)
    *pipes, told = given
    program = os.fork()
    if program:
        for number in (0, 1, 2, *pipes):
            os.close(number)
        os.write(told, NUMBER.pack(program))
        os.write(told, NUMBER.pack(os.waitpid(program, 0)[1]))
        os._exit(0)
    request = json.loads(content)
    if request["session"]:
        os.setsid()
    os.close(told)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for wanted, number in enumerate(pipes):
        os.dup2(number, wanted)
        os.close(number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    random.seed()
    sys.argv = ["", *request["words"][1:]]
    runpy.run_module(request["words"][0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
