"""The job of a worker: a game to play, the answer, and its verification. Knows no cluster.

`play` and `greet` run on the worker. The game has a process of its own there, `server.contest.hosts.game_worker`.
"""

import fcntl
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.games.outcome import ANNULLED
from engine.match import verification
from engine.match.reader import BadRecord
from engine.match.referee import State
from server.contest.definition import Definition
from server.contest.fixtures import Fixture, Programs
from server.contest.hosts.host import GameTask
from server.contest.store.verification import header_differences
from server.ops.program_version import program_with_rules
from server.ops.typed_json import decode

PROGRAMS = 2
"""That play a game."""

LOOK_SECONDS = 0.5
"""How often a worker looks whether the game is still wanted."""

END_SECONDS = 10.0
"""How long the process of a game may take to end its programs when it is not wanted any more."""

MAX_SHOWN = 300
"""Characters that stand in a sentence of what a process wrote at its end."""


class Job(msgspec.Struct, frozen=True):
    """A game to be played."""

    definition: Definition
    """The contest, without the organiser's interventions."""
    fixture: Fixture
    match: int
    """The number of its record."""
    server: str
    """Names the program in the record."""


class Answer(msgspec.Struct, frozen=True):
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
    """What was wrong with the machine, or with the server; empty where nothing was."""
    wrote: dict[str, bytes] = {}
    """By player: what its program has written on stderr."""
    programs: Programs = (None, None)
    """What the programs of both sides have used."""


def greet(folder: str, program: str) -> str:
    """Say in a sentence what this machine lacks for the games of a contest file in that folder; empty for nothing.

    ``program`` is the program of the server.
    """
    if not Path(folder).is_dir():
        return f"the contest file's folder {folder} is not there on {socket.gethostname()}"
    return foreign_program(program_with_rules(), program)


def foreign_program(theirs: str, mine: str) -> str:
    """Say in a sentence that a worker runs another program than the server; empty where it does not."""
    return "" if theirs == mine else f"the worker runs {theirs}, and the server runs {mine}"


@contextmanager
def own_cores(number: int) -> Iterator[None]:
    """Confine this process to cores that no other game of this machine has; to none where too few are free.

    Each core has a lock file, by which games claim it.
    """
    claimed: list[int] = []
    with ExitStack() as files:
        for core in sorted(os.sched_getaffinity(0)):
            with suppress(OSError):  # another game has the core
                file = files.enter_context(open(Path(tempfile.gettempdir()) / f"arena-core-{core}.lock", "a"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                claimed.append(core)
            if len(claimed) == number:
                os.sched_setaffinity(0, claimed)
                break
        else:
            files.close()
        yield


def play_task(job: bytes) -> bytes:
    """Play a game as a task of a dask worker, until the scheduler cancels it."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state == "executing"

    return play(job, wanted)


def play(job: bytes, wanted: Callable[[], bool]) -> bytes:
    """Play a `Job`, and return its `Answer`, both as JSON; return nothing when it is not ``wanted`` any more.

    The process ends with this one, however that ends.
    """
    command = [sys.executable, "-P", "-m", "server.contest.hosts.game_worker"]
    pipe = subprocess.PIPE
    theirs, mine = os.pipe()
    with open(mine, "wb", 0) as told, subprocess.Popen(command, stdin=theirs, stdout=pipe, stderr=pipe) as process:
        os.close(theirs)
        with suppress(BrokenPipeError):  # it has ended at once, and what it has written says why
            told.write(job + b"\n")
        while wanted():
            with suppress(subprocess.TimeoutExpired):
                answer, errors = process.communicate(timeout=LOOK_SECONDS)
                if process.returncode == 0 and answer:
                    return answer
                lines = errors.decode(errors="replace").strip().splitlines()
                last = f": {lines[-1][-MAX_SHOWN:]!r}" if lines else ""
                fault = f"the process of the game ended with status {process.returncode}{last}"
                return msgspec.json.encode(Answer(program_with_rules(), fault=fault))
        told.close()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        return b""


class BadAnswer(Exception):
    """A worker has not played its game. ``str(error)`` says in a sentence what was wrong."""


class Played(NamedTuple):
    """The verified answer of a worker."""

    answer: Answer
    state: State | None = None
    """The match as it has ended; None where it could not begin, for which the answer names who is to blame."""


def cluster_obstacle(definition: Definition) -> str:
    """Say in a sentence why a contest cannot be played on a cluster; empty where it can."""
    connecting = [entrant.name for entrant in definition.entrants if entrant.connects]
    if connecting:
        names = ", ".join(connecting[:3]) + (", …" if len(connecting) > 3 else "")
        return (
            f"a cluster plays programs, and these entrants have no command, so that they connect by themselves: {names}"
        )
    if any(entrant.version_of for entrant in definition.entrants):
        return "versions of bots play on the machine of the server; a cluster does not have them"
    if definition.adjudication is not None:
        return "games on a cluster are not adjudicated; take [adjudication] out of the contest file"
    return ""


def make_job(task: GameTask, server: str) -> Job:
    """Return the job for a game; ``server`` names the program in its record."""
    variants = list(task.definition.variants)
    place = task.fixture.variant
    if variants[place].drawn is not None:  # to draw the openings before it again would take the worker too long
        variants[place] = replace(variants[place], openings=(task.definition.position(task.fixture),), drawn=None)
    # the worker has cores of its own; what is hidden from a program, the other entrants do
    definition = replace(task.definition, variants=tuple(variants), cores=0, interventions=())
    return Job(definition, task.fixture, task.number, server)


def check_answer(job: Job, answer: bytes) -> Played:
    """Verify the answer of a worker, and return the game; raises `BadAnswer`."""
    try:
        found = decode(answer, type=Answer)
    except msgspec.DecodeError as error:
        raise BadAnswer(f"the answer cannot be read: {error}") from None
    if fault := found.fault or foreign_program(found.program, program_with_rules()):
        raise BadAnswer(fault)
    if not set(found.wrote) <= set(job.fixture.players):
        raise BadAnswer("the answer has what programs of others have written")
    if not found.record:
        if not found.names or not set(found.names) <= set(job.fixture.players):
            raise BadAnswer("the answer has neither a record nor the names of those who did not come")
        return Played(found)
    return Played(found, _verified(job, found.record))


def _verified(job: Job, text: str) -> State:
    """Verify the record of a game, and that it is the record of this game."""
    try:
        summary = verification.verify(text)
    except BadRecord as error:
        raise BadAnswer(f"the record is not true: {error}") from None
    if summary.signature is not None:
        raise BadAnswer("the record has a signature, and this server alone signs its records")
    if any(header_differences(job.definition, job.fixture, job.match, summary.header)):
        raise BadAnswer("the record is that of another game")
    if summary.outcome is None:
        raise BadAnswer("the record has no result")
    if summary.outcome.termination in ANNULLED:
        raise BadAnswer(f"the game was annulled there: {summary.sentence}")
    return summary.state
