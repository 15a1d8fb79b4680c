"""Runs programs of entrants: starts each for one game, in a sandbox or not, and ends it with all its processes."""

import errno
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from time import sleep
from typing import NamedTuple

import trio

from engine.games.interface import Termination
from engine.system import kill_group, terminate_group
from engine.wire.ends import log_line_of
from engine.wire.seat import PIPES, Seat, environment_variables, fill_command
from engine.wire.words import without_folders
from server.contest.fixtures import ProgramUsage
from server.contest.programs.sandbox import process as sealed
from server.contest.programs.sandbox.cores import spawn
from server.contest.programs.sandbox.limits import Excess, Usage
from server.contest.programs.sandbox.process import Sealed
from server.contest.programs.sandbox.seal import Seal, sealed_environment
from server.net.connection import CAN_WAIT_FOR_PIPES, FLOOD_SECONDS, READ_BYTES, Pipes
from server.ops import descendants
from server.ops.faults import machine_fault
from server.ops.logs import log
from server.storage.player_logs import BoundedLog

LEAVE_SECONDS = 0.5
"""Seconds in which a program may end by itself after its input was closed. Its core waits meanwhile."""

TERMINATE_SECONDS = 1.0
"""Seconds between SIGTERM and SIGKILL."""

KILL_SECONDS = 2.0
"""How long to wait for what SIGKILL has ended: a process that hangs in the kernel is left behind."""

POLL_SECONDS = 0.01
"""How often to look whether a program has ended, where the event loop cannot wait for that."""

MAX_SHOWN = 200
"""Characters of a command that stand in a sentence."""

PROGRAM_FAULT = re.compile(
    "bwrap: execvp|bwrap: Can't (?:chdir|create file) .*(?:Permission denied|Read-only file system|Not a directory)"
)
"""Sentences of bubblewrap about a command that cannot be started, or a folder that cannot be entered."""


class NotStarted(Exception):
    """A program cannot be started; ``str(error)`` says which, and why."""


class MachineFault(NotStarted):
    """A program cannot be started because of a fault of the machine or the server."""


class Surroundings(NamedTuple):
    """The surroundings of a program: folder, core, sandbox."""

    folder: Path
    """Its working directory."""
    home: str
    """`descendants.home_of` the server's data directory."""
    errors: Path
    """File for what it writes on stderr, and, where it does not talk there, on stdout; kept within bounds."""
    core: int | None = None
    """The only core that it may use; None for any."""
    ready: trio.Event | None = None
    """Set when nothing else uses the core any more: the program begins then; None where nothing does."""
    seal: Seal | None = None
    """Its sandbox; None for none."""
    ply: Callable[[], int] = lambda: 0
    """Tells which move of its game is waited for, from 1; 0 before the first one."""


class Program:
    """A running program; made and ended by `run`."""

    def __init__(
        self,
        called: str,
        process: subprocess.Popen[bytes],
        handle: int | None,
        marker: str,
        errors: int,
        place: Surroundings,
        box: Sealed | None,
    ) -> None:
        """Take the leader of a process group, which is bubblewrap in a sandbox, its pidfd, and the pipe of its stderr.

        Other systems than Linux have no pidfd. Raises OSError without descriptors.
        """
        self.ended = trio.Event()
        """Set as soon as it has ended, by itself or not."""
        self.stream: Pipes | None = None
        """For `serve_stream`, where it talks on stdin and stdout; None where it connects by itself."""
        self.listener: trio.SocketListener | None = None
        """Accepts its connections where it connects out of a sandbox, and nobody else's."""
        if process.stdin is not None and process.stdout is not None:
            self.stream = Pipes(process.stdin, process.stdout)
        self.refusal = ""
        """The first of its lines that was refused, and why; empty for none."""
        self._first_line = ""
        """The first line that it wrote before it had read anything; empty for none."""
        self._called = called
        self._process, self._handle = process, handle
        self._box = box
        self._began = trio.current_time()
        self._ended: float | None = None
        self._cpu_seconds = 0.0
        self._marker = marker
        self._status: int | None = None
        self._ending = self._never_ran = False
        self._errors = trio.lowlevel.FdStream(errors) if CAN_WAIT_FOR_PIPES else errors
        self._log = BoundedLog(place.errors, place.ply)
        self._keeping = trio.CancelScope(shield=True)

    def report(self) -> str:
        """Return one sentence for everybody: how it has ended, or that it runs, and its last words on stderr."""
        words = self._log.last_words()
        refused = f"; it wrote a line that was refused: {self.refusal}" if self.refusal else ""
        last = f"; the last that it wrote: {words}" if words else ""
        return without_folders(f"{self._called} {self._how()}{last}{refused}")

    def wrote(self, line: str) -> None:
        """Store the first line that it wrote before it had read anything."""
        self._first_line = self._first_line or line

    @property
    def missed(self) -> str:
        """Return a clause on the step that a program has missed on the way to its game."""
        if self.stream is None:
            return "not said SEEK"
        if self._first_line:
            return f"not read its input, and its first line, {self._first_line}, is no request"
        return "neither read its input nor said anything"

    def refuse(self, refusal: str) -> None:
        """Store a line that was refused in its log, and the first one for reports."""
        self.refusal = self.refusal or refusal
        self._log.add_line(log_line_of(refusal))

    @property
    def _excess(self) -> Excess | None:
        """The bound for which it was ended."""
        return None if self._box is None else self._box.excess(self._status)

    @property
    def termination(self) -> Termination:
        """Return the termination of a game that the program lost by its end."""
        return Termination.CRASHED if self._excess is None else self._excess.termination

    @property
    def fault(self) -> str:
        """Return a clause why it never began, if that was not its own fault; else empty."""
        said = self._log.last_words()
        return f"no sandbox could be made: {said}" if self._never_ran and not PROGRAM_FAULT.search(said) else ""

    @property
    def usage(self) -> ProgramUsage:
        """Return its resource usage and its end; without a sandbox the peak memory is unknown.

        Its status is None while it runs too. All is known when `run` has ended.
        """
        ended = trio.current_time() if self._ended is None else self._ended
        seen = Usage() if self._box is None else self._box.usage
        status = None if self._ending else self._status
        # without a measurement, as of a program that ends at once, the memory is unknown
        return ProgramUsage(max(self._cpu_seconds, seen.cpu_seconds), ended - self._began, seen.memory or None, status)

    async def begin(self, ready: trio.Event | None) -> None:
        """Let a program in a sandbox begin when its core is ``ready``; wait until it can connect to the server."""
        if self._box is not None:
            if ready is not None:
                await ready.wait()
            with suppress(BrokenPipeError):  # bubblewrap has ended
                self._box.begin()
            if self.stream is None:
                self.listener = await self._box.listener()

    def _how(self) -> str:
        if self._status is None:
            return "runs"
        if self._excess is not None:
            return f"was ended: {self._excess.sentence}"
        names = {number.value: number.name for number in signal.Signals}  # real-time signals have no names
        how = f"was ended by the signal {names.get(-self._status, -self._status)}"
        return how if self._status < 0 else f"ended by itself, with exit status {self._status}"

    async def keep_errors(self) -> None:
        """Read and keep its stderr until it has ended."""
        with self._keeping:
            if isinstance(self._errors, int):
                return await trio.to_thread.run_sync(self._keep_all_errors, self._errors, abandon_on_cancel=True)
            while data := await self._errors.receive_some(READ_BYTES):
                self._log.write(data)
                await trio.sleep(FLOOD_SECONDS * len(data) / READ_BYTES)

    async def wait(self) -> None:
        """Wait for its end without reaping it, so that its process number stays reserved."""
        if self._handle is not None:
            await trio.lowlevel.wait_readable(self._handle)
        while self._handle is None and self._process.returncode is None:
            self._reap()
            await trio.sleep(POLL_SECONDS)
        if self._status is None:
            status = self._exit_status()
            self._status = status if self._box is None else self._box.status(status)
            self._never_ran = self._box is not None and not self._ending and self._box.never_ran()
            self._read_last_words()
        self.ended.set()

    async def end(self) -> None:
        """End it and all its processes: by closing its input, then by SIGTERM, then by SIGKILL."""
        box = self._box
        if box is not None:
            box.measure()
        if self.stream is not None:
            self.stream.close()
        self._ending = not await self._ends_within(LEAVE_SECONDS)
        if box is not None:
            box.measure()
            box.kill()
            with trio.move_on_after(KILL_SECONDS):
                await box.gone()
        elif self._ending:
            terminate_group(self._process)
            await self._ends_within(TERMINATE_SECONDS)
        kill_group(self._process)
        if not await self._ends_within(KILL_SECONDS):
            log.error("program_kill_failed", program=self._called, process=self._process.pid)
        if box is None:
            await _end_descendants(self._called, self._marker)
        else:
            box.close()
        self._ended = trio.current_time()
        self._reap()
        if self._handle is not None:
            os.close(self._handle)
        if self.stream is not None:
            self.stream.leave()
        self._keeping.cancel()

    def close_log(self) -> None:
        """Store its last words, when nobody reads its stderr any more."""
        self._read_last_words()
        if not isinstance(self._errors, int):
            self._errors.close()
        self._log.close()

    def _reap(self) -> None:
        """Reap the process if it has ended, and keep the processor time of all reaped processes."""
        if not hasattr(os, "wait4"):  # Windows
            self._process.poll()
        elif self._process.returncode is None:
            process, status, used = os.wait4(self._process.pid, os.WNOHANG)
            if process:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self._cpu_seconds = used.ru_utime + used.ru_stime

    def _exit_status(self) -> int:
        """Return the status of the process, which has ended."""
        if self._process.returncode is not None:
            return self._process.returncode
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        assert found is not None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def _keep_all_errors(self, errors: int) -> None:
        """Keep its stderr in a thread until nobody writes it any more, where the event loop cannot wait for it."""
        with open(errors, "rb", 0) as file:
            while data := file.read(READ_BYTES):
                self._log.write(data)
                sleep(FLOOD_SECONDS * len(data) / READ_BYTES)

    def _read_last_words(self) -> None:
        """Read the rest of its stderr from the pipe."""
        with suppress(BlockingIOError):
            self._log.write(b"" if isinstance(self._errors, int) else os.read(self._errors.fileno(), READ_BYTES))

    async def _ends_within(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            await self.wait()
        return self.ended.is_set()


async def run(
    command: Sequence[str],
    seat: Seat,
    place: Surroundings,
    *,
    task_status: trio.TaskStatus[Program] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a program for one game until it ends or this is cancelled; then end all its processes.

    Reports the `Program` as soon as it runs; raises `NotStarted`. Its ``stream`` is for the caller to serve, and closed
    here. Ending is not cancelled, and takes a few seconds at most.
    """
    if place.seal is None and place.ready is not None:  # a sandbox is made meanwhile
        await place.ready.wait()
    called = f"the program {quote_command(command)}"
    try:
        program = await _start(called, command, seat, place)
    except Exception as error:
        raise _not_started(called, error, place) from error
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(program.keep_errors)
            try:
                await program.begin(place.ready)
                task_status.started(program)
                await program.wait()
            finally:
                with trio.CancelScope(shield=True):
                    await program.end()
    finally:
        program.close_log()


async def _start(called: str, command: Sequence[str], seat: Seat, place: Surroundings) -> Program:
    """Start a program without a sandbox, or make the sandbox of a program."""
    marker = descendants.marker(place.home)
    errors, theirs = os.pipe()
    with ExitStack() as undo:
        undo.callback(os.close, errors)
        try:
            box = None if place.seal is None else await _sealed(command, seat, place, place.seal, theirs, marker)
            process = await _unsealed(command, seat, place, theirs, marker) if box is None else box.process
        finally:
            os.close(theirs)
        if box is not None:
            undo.callback(box.close)
        undo.enter_context(process)
        undo.callback(kill_group, process)
        if box is not None:
            undo.callback(box.kill)
        handle = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else None
        if handle is not None:
            undo.callback(os.close, handle)
        program = Program(called, process, handle, marker, errors, place, box)
        undo.pop_all()
        return program


async def _unsealed(
    command: Sequence[str], seat: Seat, place: Surroundings, errors: int, marker: str
) -> subprocess.Popen[bytes]:
    # arena-bot is found also where the server's own environment is not on the path
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    environment = {**os.environ, "PATH": path, **environment_variables(seat), descendants.VARIABLE: marker}
    words, talks = fill_command(command, seat), not connects(command)
    return await trio.to_thread.run_sync(
        partial(spawn, words, environment, str(place.folder), place.core, talks=talks, errors=errors)
    )


async def _sealed(
    command: Sequence[str], seat: Seat, place: Surroundings, seal: Seal, errors: int, marker: str
) -> Sealed:
    port = (seat.port if seat.port >= sealed.FIRST_FREE_PORT else sealed.PORT) if connects(command) else None
    # the only address that there is in its sandbox
    seat = seat._replace(host=PIPES) if port is None else seat._replace(host="127.0.0.1", port=port)
    words = fill_command(command, seat)
    # a server that is killed while a sandbox is being made leaves it: the next one finds it by its marker
    environment = sealed_environment(os.environ, {**environment_variables(seat), descendants.VARIABLE: marker})
    if "/" not in words[0] and shutil.which(words[0], path=environment["PATH"]) is None:  # as it would fail in there
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), words[0])
    return await sealed.in_lasting_thread(partial(sealed.start, words, environment, seal, place.core, port, errors))


def _not_started(called: str, error: Exception, place: Surroundings) -> NotStarted:
    """Return the exception for a program that did not start: it says who is to blame."""
    why = str(error) if isinstance(error, sealed.NotSealed) else machine_fault(error)
    kind: type[NotStarted] = MachineFault
    if not why and isinstance(error, OSError):
        why = f"{error.strerror}: {error.filename!r}"
        kind = MachineFault if error.filename in (None, str(place.folder)) else NotStarted
    elif not why:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        kind = NotStarted if isinstance(error, ValueError) else MachineFault
    return kind(f"{called} cannot be started: {why}")


def connects(command: Sequence[str]) -> bool:
    """Tell whether a program connects over TCP, since its command has host or port; else it uses stdin and stdout."""
    return any("{host}" in word or "{port}" in word for word in command)


def quote_command(command: Sequence[str]) -> str:
    """Return a command quoted for a sentence, as one printable line of bounded length."""
    text = shlex.join(command)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


async def _end_descendants(called: str, marker: str) -> None:
    """Kill the processes that a program has left; if that fails, the next server in the data directory does it."""
    try:
        left = await trio.to_thread.run_sync(descendants.end_marked, marker)
    except (OSError, RuntimeError, MemoryError) as error:
        log.error("program_children_kill_failed", program=called, error=str(error))
        return
    if left:
        log.info("program_children_killed", program=called, count=left)


async def end_left_programs(data: Path) -> None:
    """Kill the processes that a dead server has left in a data directory; raises nothing."""
    try:
        left = await trio.to_thread.run_sync(descendants.end_marked, descendants.home_of(data))
    except Exception as error:
        log.error("leftover_programs_kill_failed", error=repr(error))
        return
    if left:
        log.warning("leftover_programs_killed", count=left)
