"""Starting a program in a sandbox, and ending it with all that it has started: when its first process ends, all do.

The sandbox ends with the thread that has started it, and so with the server, however that ends. Programs are started by
a few threads, which last.
"""

import array
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

import trio

from engine.games.interface import Termination
from server.config.process_settings import nice_value
from server.contest.programs.sandbox.cores import spawn
from server.contest.programs.sandbox.limits import (
    MEGABYTE,
    PROCESSES_FACTOR,
    Excess,
    SandboxMonitor,
    Usage,
    out_of_cpu_time,
)
from server.contest.programs.sandbox.seal import Descriptors, Seal, sandboxed
from server.contest.programs.sandbox.syscall_filter import filter_to_read, new_session_keyring

Result = TypeVar("Result")

PORT = 2754
"""Where a program finds its game within its sandbox, where the server's own port is one of the privileged ones."""

FIRST_FREE_PORT = 1024

SIGNALLED = 128
"""Added to the number of the signal that has ended a program, in the exit status of its sandbox."""

DATA_FACTOR, DATA_MEGABYTES = 4, 1024
"""Bound on the memory that a process may request: a multiple of the bound of memory, and so many megabytes more.

It is the last resort if a process takes memory between two measurements. Some languages request much unused memory."""

BACKLOG = 16
"""Connections of a program that wait to be accepted."""

LAUNCHER = f"""
import os, sys, _socket
from array import array
tell, port, *command = sys.argv[1:]
listener = _socket.socket()
listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(port)))
listener.listen({BACKLOG})
with_server = _socket.socket(fileno=int(tell))
with_server.sendmsg([b"x"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array("i", [listener.fileno()]))])
with_server.close()
listener.close()
try:
    os.execvp(command[0], command)
except OSError as error:
    sys.exit(f"{{command[0]}} cannot be started: {{error.strerror}}")
"""
"""Runs in the sandbox of a program that connects: opens the port that leads to its game, which is the only one there,
hands it over to the server, and becomes the program."""

STARTS = 4
"""Sandboxes that are made at a time: much of it is waiting, and the programs of a game begin together."""

_SPAWNER = ThreadPoolExecutor(STARTS, "spawner")
"""Its threads last as long as the server."""


class NotSealed(OSError):
    """No sandbox could be made, through no fault of the program. ``str(error)`` says why, in a clause."""


class Sealed:
    """A sandbox that was started, with its program. `close` it when all in it has ended."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        pipes: tuple[int, int],
        way: socket.socket | None,
        own: ExitStack,
        seal: Seal,
    ) -> None:
        """Take bubblewrap, two pipes, and the way that a port is handed over by, which ``own`` closes; set the bounds.

        Bubblewrap writes its status to the first pipe, and reads a byte from the other one before the program begins.
        If it fails, all that it has begun is left to ``own``.
        """
        self.process = process
        self._status, self._start_pipe = pipes
        self._port_socket = way
        self._status_lines = b""
        self._first = self._first_process()
        try:
            self._handle = os.pidfd_open(self._first)
        except OSError:  # it would wait for bubblewrap for ever
            os.kill(self._first, signal.SIGKILL)
            raise
        own.callback(os.close, self._handle)
        own.callback(self.kill)  # it waits for bubblewrap for ever, where that is killed alone
        import resource

        for kind, (soft, hard) in _limits(seal).items():
            _, most = resource.getrlimit(kind)  # of the server itself: nobody may have more
            limit = (soft, hard) if most == resource.RLIM_INFINITY else (min(soft, most), min(hard, most))
            try:
                resource.prlimit(self._first, kind, limit)
            except PermissionError as error:
                raise NotSealed(f"the system does not let this user limit programs: {error.strerror}") from error
            except ProcessLookupError:  # it has ended
                break
        self._monitor = SandboxMonitor(self._first, seal.bounds, seal.cpu_seconds, self.kill, nice_value(seal.niceness))
        self.measure = self._monitor.measure
        """Measures the usage until now."""
        own.callback(self._monitor.close)
        self._own = own.pop_all()

    def _first_process(self) -> int:
        """Return the number of the first process in the sandbox, as soon as there is one."""
        line = b""
        while data := os.read(self._status, 4096):
            line += data
            if line.endswith(b"\n"):
                return int(json.loads(line)["child-pid"])
        raise NotSealed(f"no sandbox could be made: bubblewrap ended with status {self.process.wait()}")

    def begin(self) -> None:
        """Let the program begin; raises OSError."""
        os.write(self._start_pipe, b"x")

    async def listener(self) -> trio.SocketListener | None:
        """Return what accepts the connections of a program; None where it has ended before.

        Raises OSError where this process has no descriptor left for it.
        """
        if self._port_socket is None:
            return None
        with trio.socket.from_stdlib_socket(self._port_socket) as way:
            data, told, _, _ = await way.recvmsg(1, socket.CMSG_SPACE(array.array("i").itemsize))
        for level, kind, given in told:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                return trio.SocketListener(trio.socket.socket(fileno=array.array("i", given)[0]))
        if data:  # it has handed its port over, and the system has dropped it on the way
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return None

    def kill(self) -> None:
        """End all that is in the sandbox, at once."""
        with suppress(OSError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    async def gone(self) -> None:
        """Wait until nothing of it runs any more."""
        await trio.lowlevel.wait_readable(self._handle)

    async def end(self) -> tuple[int, Excess | None]:
        """Wait until nothing of it runs any more; return the exit status, and the bound that was exceeded."""
        await self.gone()
        status = self.status(await trio.to_thread.run_sync(self.process.wait))
        return status, self.excess(status)

    def status(self, raw: int) -> int:
        """Return the exit status of the program, negative for a signal, from that of bubblewrap."""
        number = raw - SIGNALLED
        return -number if 0 < number < signal.NSIG else raw

    def excess(self, status: int | None) -> Excess | None:
        """Return the bound for which it was ended; None where it was not."""
        monitor = self._monitor
        if monitor.excess is None and status == -signal.SIGXFSZ:
            return Excess(Termination.FILE_TOO_LARGE, f"a file may have {monitor.bounds.file_size} MB")
        if monitor.excess is None and status == -signal.SIGXCPU:
            return out_of_cpu_time(monitor.cpu_seconds)
        return monitor.excess

    @property
    def usage(self) -> Usage:
        """Return the measured usage."""
        return self._monitor.usage

    def never_ran(self) -> bool:
        """Tell, after bubblewrap has ended, whether the program was never begun."""
        os.set_blocking(self._status, False)
        with suppress(BlockingIOError):
            self._status_lines += os.read(self._status, 4096)
        return b"exit-code" not in self._status_lines

    def close(self) -> None:
        """Forget the sandbox, which has ended."""
        self._own.close()


async def in_lasting_thread(work: Callable[[], Result]) -> Result:
    """Do something in a thread that starts sandboxes: those end with the thread that has started them."""
    await trio.lowlevel.checkpoint_if_cancelled()
    done, token = trio.Event(), trio.lowlevel.current_trio_token()
    future = _SPAWNER.submit(work)
    future.add_done_callback(lambda _: token.run_sync_soon(done.set))
    with trio.CancelScope(shield=True):  # who is cancelled takes over what was started, and ends it
        await done.wait()
    return future.result()


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    seal: Seal,
    core: int | None,
    port: int | None,
    errors: int,
) -> Sealed:
    """Make a sandbox for a program, which begins with `Sealed.begin`.

    A program that connects, to a ``port``, does not talk on its pipes.

    Raises `NotSealed` and other OSError, for none of which the program is to blame. To be called by
    `in_lasting_thread`.
    """
    with ExitStack() as own:  # closes what was opened here, unless the sandbox takes it over
        with ExitStack() as handed:
            told, tells = os.pipe()
            own.callback(os.close, told)
            handed.callback(os.close, tells)
            waits, goes = _pipe_without_end()
            own.callback(os.close, goes)
            handed.callback(os.close, waits)
            refused = filter_to_read()
            handed.callback(os.close, refused)
            descriptors, way = Descriptors(tells, waits, refused), None
            given = [*descriptors]
            if port is not None:
                way, theirs = socket.socketpair()
                own.enter_context(way)
                given.append(handed.enter_context(theirs).fileno())
                command = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(given[-1]), str(port), *command]
            words = sandboxed(command, seal.view, seal.bounds, descriptors)
            new_session_keyring()
            talks, niceness = port is None, seal.niceness
            process = spawn(words, environment, "/", core, talks=talks, errors=errors, given=given, niceness=niceness)
        try:
            return Sealed(process, (told, goes), way, own, seal)
        except BaseException:
            own.close()
            with process:
                process.kill()
            raise


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str], seal: Seal, port: int | None, errors: int
) -> AsyncIterator[Sealed]:
    """Run a program in a sandbox, as `start` does, and end all that is in it when the context is left."""
    box = await in_lasting_thread(partial(start, command, environment, seal, None, port, errors))
    try:
        box.begin()
        yield box
    finally:
        with trio.CancelScope(shield=True):
            box.kill()
            await box.end()
            with box.process:
                box.close()


def _pipe_without_end() -> tuple[int, int]:
    """Return both ends of a pipe whose reader can write, too: it goes on waiting when all others have died."""
    reads, writes = os.pipe()
    try:
        return os.open(f"/proc/self/fd/{reads}", os.O_RDWR | os.O_CLOEXEC), writes
    except OSError:
        os.close(writes)
        raise
    finally:
        os.close(reads)


def _limits(seal: Seal) -> dict[int, tuple[int, int]]:
    """Return the limits of each process, as ``resource.prlimit`` takes them."""
    import resource

    bounds = seal.bounds
    seconds = max(1, round(seal.cpu_seconds))
    data = (DATA_FACTOR * bounds.memory + DATA_MEGABYTES) * MEGABYTE
    return {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NOFILE: (bounds.open_files, bounds.open_files),
        resource.RLIMIT_FSIZE: (bounds.file_size * MEGABYTE,) * 2,
        resource.RLIMIT_DATA: (data, data),
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_NPROC: (PROCESSES_FACTOR * bounds.processes,) * 2,  # Linux 5.14 counts them in each sandbox
    }
