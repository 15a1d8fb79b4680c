"""The processes of a duel: one a side and job, each asked over a pipe, and a thread a job that plays pairs with two."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

import msgspec

import engine
from engine.commands.program.output import Rejected
from engine.compiling.compile_process import broken_pipes_raised
from engine.duel.engine_config import EngineConfig
from engine.duel.games import Pair, Reply, Request
from engine.duel.openings import Opening
from engine.games.interface import Position

SCRIPT = Path(__file__).with_name("engine_process.py")
"""What a side's process runs, whatever the version of its engine."""

OURS = Path(engine.__file__).resolve().parent.parent
"""The directory of this engine, which plays where a side names no other."""


class Ready(msgspec.Struct):
    """What a process says when it is ready; `engine.commands.duel.engine_process` tells what it means."""

    engine: str
    digest: str


class Refusal(msgspec.Struct):
    """What a process says before it ends."""

    error: str


class _Reply(msgspec.Struct):
    move: str
    ms: float
    nodes: int


Answer = TypeVar("Answer", Ready, _Reply)


_READY = msgspec.json.Decoder(Ready)
_REFUSALS = msgspec.json.Decoder(Refusal)
_REPLIES = msgspec.json.Decoder(_Reply)


class EngineSetup(NamedTuple):
    """What a process has to know of its side."""

    name: str
    """A or B."""
    side: EngineConfig
    directory: Path
    """Where its package ``engine`` is."""
    weights: Mapping[str, object]
    start: Position
    book: str | None = None
    """The opening book it plays by: ``shipped``, or a file."""

    @property
    def waits_for_compiler(self) -> bool:
        """Whether it compiles before it is ready, since something depends on its speed or is not compiled for others.

        That is time, threads, which compiled code alone has, and weights. All else begins interpreted.
        """
        side = self.side
        return bool(side.ms or side.budget or self.weights or (side.threads or 1) > 1)

    @property
    def first_message(self) -> dict[str, Any]:
        """The first line that its process gets."""
        side = self.side
        limits = {
            "nodes": side.nodes,
            "hard_ms": side.ms,
            "depth": side.depth,
            "level": side.level,
            "exact": side.exact or None,
        }
        return {
            "game": self.start.game.name,
            "position": self.start.text(),
            "table": side.table,
            "threads": side.threads,
            "limits": {name: limit for name, limit in limits.items() if limit is not None},
            "waits": self.waits_for_compiler,
            "increment": side.budget.increment_ms if side.budget else 0,
            "weights": dict(self.weights),
            "book": self.book,
        }


class Process:
    """A process that plays for a side. Whoever starts one closes it."""

    def __init__(self, setup: EngineSetup) -> None:
        """Start it and wait until it is ready: seconds where nothing is compiled yet.

        Raises `Rejected` where it cannot do what the side wants, and ChildProcessError where it ends.
        """
        self._name = setup.name
        directory = setup.directory
        path = os.pathsep.join(filter(None, (str(directory), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            ready = self._ask(setup.first_message, _READY)
            if isinstance(ready, Refusal):
                raise Rejected(f"{self._name}: {ready.error}")
            if Path(ready.engine).resolve() != directory:
                raise Rejected(f"{self._name}: the engine that was found is in {ready.engine}, not in {directory}")
        except BaseException:
            self.close()
            raise
        self.digest = ready.digest
        """Of the sources of its engine."""

    def play(self, request: Request) -> Reply:
        """Ask for a move; raises ChildProcessError."""
        message = {"game": request.game, "moves": request.moves, "left": request.left_ms}
        reply = self._ask(message, _REPLIES)
        if isinstance(reply, Refusal):
            raise ChildProcessError(
                f"{self._name} has failed after the moves {', '.join(request.moves)}: {reply.error}"
            )
        return Reply(reply.move, reply.ms, reply.nodes)

    def close(self) -> None:
        """End the process, whatever it does, and wait for its end. More than once does no harm."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError), broken_pipes_raised():  # what was not yet sent cannot be any more
                pipe.close()

    def kill(self) -> None:
        """End the process from another thread than that which asks it: the one that waits gets ChildProcessError."""
        self._process.kill()

    def _ask(self, message: dict[str, Any], reader: msgspec.json.Decoder[Answer]) -> Answer | Refusal:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            with broken_pipes_raised():
                self._process.stdin.write(msgspec.json.encode(message) + b"\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            raise ChildProcessError(f"{self._name}: its process has ended, with status {self._process.wait()}")
        try:
            return reader.decode(line)
        except msgspec.ValidationError:
            return _REFUSALS.decode(line)


class Task(NamedTuple):
    """A pair to be played."""

    number: int
    opening: Opening


EnginePair = tuple[Process, Process]
"""The processes of both sides that play the pairs of one job."""


def start_pair(setups: tuple[EngineSetup, EngineSetup]) -> EnginePair:
    """Start the processes of one job, the second when the first is ready and what it has compiled can be found."""
    first = Process(setups[0])
    try:
        return first, Process(setups[1])
    except BaseException:
        first.close()
        raise


class EnginePool:
    """Plays pairs, so many at a time. To be closed, which ends all processes."""

    def __init__(self, first: EnginePair, setups: tuple[EngineSetup, EngineSetup]) -> None:
        """Take the processes of the first job, which are closed with all others."""
        self._setups = setups
        self._pairs = [first]
        self._lock = threading.Lock()
        self._closing = False
        self._threads: list[threading.Thread] = []

    def pairs(self, tasks: Iterator[Task], play: Callable[[Task, EnginePair], Pair], jobs: int) -> Iterator[Pair]:
        """Yield pairs as they are finished, until there are no more tasks.

        Tasks are asked for by one thread at a time. What a job raises is raised here.
        """
        done: SimpleQueue[Pair | BaseException | None] = SimpleQueue()

        def work(job: int) -> None:
            try:
                engines = self._pairs[0] if job == 0 else self._start_another()
                while (task := self._next(tasks)) is not None:
                    done.put(play(task, engines))
                done.put(None)
            except BaseException as error:
                done.put(error)

        self._threads = [threading.Thread(target=work, args=(job,), daemon=True) for job in range(jobs)]
        for thread in self._threads:
            thread.start()
        working = jobs
        while working:
            item = done.get()
            if isinstance(item, BaseException):
                raise item
            if item is None:
                working -= 1
            else:
                yield item

    def close(self) -> None:
        """End all processes and threads, also in the midst of a game."""
        with self._lock:
            self._closing = True
            for engines in self._pairs:
                for process in engines:
                    process.kill()
        for thread in self._threads:
            thread.join()
        for engines in self._pairs:
            for process in engines:
                process.close()

    def _next(self, tasks: Iterator[Task]) -> Task | None:
        with self._lock:
            return None if self._closing else next(tasks, None)

    def _start_another(self) -> EnginePair:
        engines = start_pair(self._setups)
        with self._lock:
            self._pairs.append(engines)
            if self._closing:
                for process in engines:
                    process.kill()
        return engines
