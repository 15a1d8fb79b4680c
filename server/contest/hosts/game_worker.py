"""The job of a worker: a game to play, the answer, and its verification. Knows no cluster.

`play_task` and `greet` run on the worker. A thread of the worker plays the game in an event loop and an arena of its
own, and ends the programs as soon as nobody wants the game any more.
"""

import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import structlog
import trio
from msgspec.structs import replace

from engine.games.interface import ANNULLED
from engine.match import verification
from engine.match.record import BadRecord
from engine.match.referee import MatchState
from engine.system import lock, usable_cores
from server.arena.arena import Arena
from server.arena.session import serve_socket
from server.config.settings import Settings
from server.contest.definition import Definition
from server.contest.fixtures import Fixture, Programs
from server.contest.hosts.arena_host import ArenaHost
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.host import PROGRAMS, GameTask, PlayerMissing
from server.contest.programs.sandbox.cores import CAN_PIN, Cores
from server.contest.programs.sandbox.seal import SECRET_FOLDERS
from server.contest.store.folders import errors_of
from server.contest.verification import header_differences
from server.net.admission import RateLimiter, patrol
from server.net.timing import StallMonitor, microseconds
from server.ops.logs import configure
from server.ops.program_version import program_with_rules
from server.ops.typed_json import decode
from server.storage.record_store import RecordStore

POLL_SECONDS = 0.5
"""How often a worker looks whether the game is still wanted."""


class Job(msgspec.Struct, frozen=True):
    """A game to be played."""

    definition: Definition
    """The contest, without the organiser's interventions."""
    fixture: Fixture
    match: int
    """The number of its record."""
    server: str
    """Names the program in the record."""
    secret: str
    """The server's data directory, which no program may see here either."""


class JobAnswer(msgspec.Struct, frozen=True):
    """The answer to a job: a record, or why there is none."""

    program: str
    """The program that has played, as `server.ops.program_version.program_with_rules` names it."""
    record: str = ""
    """The text of the whole record; empty where the match could not begin."""
    why: str = ""
    """Why it could not begin."""
    names: tuple[str, ...] = ()
    """The entrants who are to blame for that."""
    termination: str = ""
    """In which way they did not come, a word of `server.contest.fixtures.UNPLAYED`; empty where that is not known."""
    fault: str = ""
    """A fault of the machine or of the server; empty if there was none."""
    wrote: dict[str, bytes] = {}
    """By player: what its program has written on stderr."""
    programs: Programs = (None, None)
    """Resource usage of the programs of both sides."""


def greet(folder: str, program: str) -> str:
    """Say in a sentence what this machine lacks for the games of a contest file in that folder; empty for nothing.

    ``program`` is the program of the server.
    """
    return (
        foreign_program(program_with_rules(), program)
        if Path(folder).is_dir()
        else f"the contest file's folder {folder} is not there on {socket.gethostname()}"
    )


def foreign_program(theirs: str, mine: str) -> str:
    """Say in a sentence that a worker runs another program than the server; empty where it does not."""
    return "" if theirs == mine else f"the worker runs {theirs}, and the server runs {mine}"


@contextmanager
def own_cores(number: int) -> Iterator[tuple[int, ...]]:
    """Claim cores that no other game of this machine has; none where too few are free.

    Each core has a lock file, by which games claim it.
    """
    claimed: list[int] = []
    with ExitStack() as files:
        for core in usable_cores() if CAN_PIN else ():
            with suppress(OSError):  # another game has the core
                lock(files.enter_context(open(Path(tempfile.gettempdir()) / f"arena-core-{core}.lock", "a")))
                claimed.append(core)
            if len(claimed) == number:
                yield tuple(claimed)
                return
    yield ()


def play_task(job: bytes) -> bytes:
    """Play a game as a task of a dask worker, until the scheduler cancels it."""
    from distributed import get_worker

    if not structlog.is_configured():
        configure(quiet=True)
    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state == "executing"

    return trio.run(play, job, wanted)


async def play(job: bytes, wanted: Callable[[], bool]) -> bytes:
    """Play a `Job`, and return its `JobAnswer`, both as JSON; return nothing when it is not ``wanted`` any more."""
    answer = None
    async with trio.open_nursery() as nursery:

        async def end_unwanted() -> None:
            while wanted():
                await trio.sleep(POLL_SECONDS)
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_unwanted)
        try:
            with own_cores(PROGRAMS) as cores:
                answer = await play_job(decode(job, type=Job), cores)
        except Exception as error:
            found: BaseException = error
            while isinstance(found, BaseExceptionGroup):
                found = found.exceptions[0]
            answer = JobAnswer(program_with_rules(), fault=f"{type(found).__name__}: {found}")
        nursery.cancel_scope.cancel()
    return b"" if answer is None else msgspec.json.encode(answer)


class BadAnswer(Exception):
    """A worker has not played its game. ``str(error)`` says in a sentence what was wrong."""


class VerifiedAnswer(NamedTuple):
    """The verified answer of a worker."""

    answer: JobAnswer
    state: MatchState | None = None
    """The match as it has ended; None where it could not begin, for which the answer names who is to blame."""


def cluster_obstacle(definition: Definition) -> str:
    """Say in a sentence why a contest cannot be played on a cluster; empty where it can."""
    if connecting := [entrant.name for entrant in definition.entrants if entrant.connects]:
        return f"a cluster plays programs, and these entrants have no command: {', '.join(connecting)}"
    if any(entrant.version_of for entrant in definition.entrants):
        return "versions of bots play on the machine of the server; a cluster does not have them"
    if definition.adjudication is not None:
        return "games on a cluster are not adjudicated; take [adjudication] out of the contest file"
    return ""


def make_job(task: GameTask, server: str, data: Path) -> Job:
    """Return the job for a game of a server and its data directory; ``server`` names the program in its record."""
    variants = list(task.definition.variants)
    place = task.fixture.variant
    if variants[place].drawn is not None:  # to draw the openings before it again would take the worker too long
        variants[place] = replace(variants[place], openings=(task.definition.position(task.fixture),), drawn=None)
    # the worker has cores of its own; what is hidden from a program, the other entrants do
    definition = replace(task.definition, variants=tuple(variants), cores=0, interventions=())
    return Job(definition, task.fixture, task.number, server, str(data.resolve()))


def check_answer(job: Job, answer: bytes) -> VerifiedAnswer:
    """Verify the answer of a worker: its record is true, and of this game. Raises `BadAnswer`."""
    try:
        found = decode(answer, type=JobAnswer)
    except msgspec.DecodeError as error:
        raise BadAnswer(f"the answer cannot be read: {error}") from None
    if fault := found.fault or foreign_program(found.program, program_with_rules()):
        raise BadAnswer(fault)
    if not set(found.wrote) <= set(job.fixture.players):
        raise BadAnswer("the answer has what programs of others have written")
    if not found.record:
        if not found.names or not set(found.names) <= set(job.fixture.players):
            raise BadAnswer("the answer has neither a record nor the names of those who did not come")
        return VerifiedAnswer(found)
    try:
        summary = verification.verify(found.record)
    except BadRecord as error:
        raise BadAnswer(f"the record is not true: {error}") from None
    is_other = any(header_differences(job.definition, job.fixture, job.match, summary.header))
    is_annulled = summary.outcome is not None and summary.outcome.reason in ANNULLED
    for is_wrong, why in (
        (summary.signature is not None, "the record has a signature, and this server alone signs its records"),
        (is_other, "the record is that of another game"),
        (summary.outcome is None, "the record has no result"),
        (is_annulled, f"the game was annulled there: {summary.sentence}"),
    ):
        if is_wrong:
            raise BadAnswer(why)
    return VerifiedAnswer(found, summary.state)


CONTEST = 1
"""The number of the contest in the arena, which knows no other."""


async def play_job(job: Job, cores: Sequence[int] | None = None) -> JobAnswer:
    """Play a game in a temporary directory, by programs on some cores. Raises the faults of this machine."""
    SECRET_FOLDERS.add(Path(job.secret))
    with tempfile.TemporaryDirectory(prefix="arena-game-") as folder:
        data = Path(folder)
        async with private_arena(data, job.server, cores=cores) as (_, record_store, seats):
            try:
                async with seats.play(GameTask(CONTEST, job.definition, job.fixture, job.match)) as game:
                    assert game is not None  # nobody stops this arena, and who was withdrawn has no games
                    await game.result()
                answer = JobAnswer(program_with_rules(), programs=game.programs)
            except PlayerMissing as error:
                why, fault = (str(error), "") if error.names else ("", str(error))
                answer = JobAnswer(
                    program_with_rules(), "", why, error.names, error.termination, fault, {}, error.programs
                )
            record = record_store.read(job.match) or ""
        paths = {name: errors_of(data, CONTEST, job.match, name) for name in job.fixture.players}
        return replace(
            answer, record=record, wrote={name: path.read_bytes() for name, path in paths.items() if path.exists()}
        )


@asynccontextmanager
async def private_arena(
    data: Path, server: str, last_match: int = 0, cores: Sequence[int] | None = None
) -> AsyncIterator[tuple[Arena, RecordStore, ArenaHost]]:
    """Open an arena that only programs of this machine can reach, and only those enter that were started for a game.

    The numbers of its matches begin after ``last_match``. ``cores`` are those of the programs, if not all.
    """
    settings = Settings(data=data, tokens={})
    record_store = RecordStore(data)
    record_store.numbers.skip(last_match)
    arena = Arena(settings, record_store, microseconds, server, ContestPlayers(only_programs=True))
    watch = StallMonitor(microseconds, arena.stalls)
    rate_limiter = RateLimiter(settings.limits, settings.most_sessions, microseconds)
    serve = partial(trio.serve_tcp, partial(serve_socket, arena, rate_limiter, None), 0, host="127.0.0.1")
    with watch.installed() as arena.arrival:
        async with arena.running(), trio.open_nursery() as nursery:
            listeners: list[trio.SocketListener] = await nursery.start(serve)
            arena.own_address = ("127.0.0.1", listeners[0].socket.getsockname()[1])
            nursery.start_soon(watch.pulse, lambda: bool(arena.matches))
            nursery.start_soon(patrol, rate_limiter)
            yield arena, record_store, ArenaHost(arena, Cores(cores))
            nursery.cancel_scope.cancel()
