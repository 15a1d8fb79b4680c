"""A worker process that plays one game of a contest in an arena of its own.

It is told a `Job`, a line of JSON on its standard input, and says its `Answer` on its standard output when the game is
over. It ends its programs and itself as soon as its input ends: who has started it is gone then, or has no use for the
game any more.
"""

import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import msgspec.structs
import trio

from server.arena.arena import Arena
from server.arena.session import serve_socket
from server.config.settings import Settings
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import GameTask, PlayerMissing
from server.contest.hosts.worker_job import PROGRAMS, Answer, Job, own_cores
from server.contest.store.folders import errors_of
from server.net.admission import RateLimiter, patrol
from server.net.timing import StallMonitor, microseconds
from server.ops.logs import configure
from server.ops.program_version import program_with_rules
from server.ops.typed_json import decode
from server.storage.record_store import RecordStore

READ_BYTES = 1 << 16

CONTEST = 1
"""The number of the contest in the arena, which knows no other."""


async def play(job: Job) -> Answer:
    """Play a game in a temporary directory. Raises the faults of this machine."""
    with tempfile.TemporaryDirectory(prefix="arena-game-") as folder:
        data = Path(folder)
        async with private_arena(data, job.server) as (_, record_store, seats):
            answer = await _play(job, seats)
            record = record_store.read(job.match) or ""
        return msgspec.structs.replace(answer, record=record, wrote=_written(data, job))


async def _play(job: Job, seats: ArenaHost) -> Answer:
    """Play the game; if it could not begin, return why."""
    task = GameTask(CONTEST, job.definition, job.fixture, job.match)
    try:
        async with seats.play(task) as game:
            assert game is not None  # nobody stops this arena, and who was withdrawn has no games
            await game.result()
    except PlayerMissing as error:
        if not error.names:
            return Answer(program_with_rules(), fault=str(error))
        return Answer(program_with_rules(), "", str(error), error.names, error.termination, programs=error.programs)
    return Answer(program_with_rules(), programs=game.programs)


@asynccontextmanager
async def private_arena(
    data: Path, server: str, last_match: int = 0
) -> AsyncIterator[tuple[Arena, RecordStore, ArenaHost]]:
    """Open an arena that only programs of this machine can reach, and only those enter that were started for a game.

    The numbers of its matches begin after ``last_match``.
    """
    settings = Settings(data=data, tokens={})
    record_store = RecordStore(data)
    record_store.numbers.skip(last_match)
    arena = Arena(settings, record_store, microseconds, server, ContestPlayers())
    watch = StallMonitor(microseconds, arena.stalls)
    rate_limiter = RateLimiter(settings.limits, settings.most_sessions, microseconds)
    handle = partial(serve_socket, arena, rate_limiter, None)
    with watch.installed() as arena.arrival:
        async with arena.running(), trio.open_nursery() as nursery:
            listeners: list[trio.SocketListener] = await nursery.start(
                lambda task_status: trio.serve_tcp(handle, 0, host="127.0.0.1", task_status=task_status)
            )
            arena.own_address = ("127.0.0.1", listeners[0].socket.getsockname()[1])
            nursery.start_soon(watch.pulse, lambda: bool(arena.matches))
            nursery.start_soon(patrol, rate_limiter)
            yield arena, record_store, ArenaHost(arena)
            nursery.cancel_scope.cancel()


def _written(data: Path, job: Job) -> dict[str, bytes]:
    """Return what each program has written on stderr."""
    paths = {name: errors_of(data, CONTEST, job.match, name) for name in job.fixture.players}
    return {name: path.read_bytes() for name, path in paths.items() if path.exists()}


async def main() -> None:
    """Read a job, play it and write the answer; write nothing if the input ends early."""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as told:
        text = b""
        while not text.endswith(b"\n"):
            data = await told.receive_some(READ_BYTES)
            if not data:
                return
            text += data
        async with trio.open_nursery() as nursery:

            async def end_with_input() -> None:
                await told.receive_some(READ_BYTES)
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_with_input)
            answer = await _answered(text)
            sys.stdout.buffer.write(msgspec.json.encode(answer))
            nursery.cancel_scope.cancel()


async def _answered(text: bytes) -> Answer:
    try:
        program_with_rules()  # reads the sources now, before an upgrade can replace them
        job = decode(text, type=Job)
        with own_cores(PROGRAMS):
            return await play(job)
    except Exception as error:
        found: BaseException = error
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        return Answer(program_with_rules(), fault=f"{type(found).__name__}: {found}")


if __name__ == "__main__":
    configure(quiet=True)
    trio.run(main)
