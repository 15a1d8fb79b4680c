"""The job of a worker: a game to play, the answer, and its verification. Knows no cluster.

`play` and `greet` run on the worker. The game has a process of its own there, `server.contest.hosts.game_worker`.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.games.outcome import ANNULLED
from engine.match import verification
from engine.match.reader import BadRecord
from engine.match.referee import State
from server.contest.definition import Definition, definition_text, read_definition
from server.contest.fixtures import Fixture, Programs
from server.contest.hosts.host import GameTask
from server.contest.store.verification import header_differences
from server.ops.program_version import program_with_rules
from server.ops.typed_json import decode

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""File with an id that no other machine has, until it is started again (Linux)."""

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

    definition: str
    """That of the contest, by `definition_text`."""
    fixture: Fixture
    match: int
    """The number of its record."""
    server: str
    """Names the program in the record."""
    cores: tuple[int, ...] = ()
    """The only cores that its process and its programs may use; none for any."""
    starts: dict[str, int] = {}
    """By player: for how many seconds its first word is waited for, where those are not the contest's."""


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


class WorkerInfo(NamedTuple):
    """The machine and the cores of a worker."""

    machine: str
    """The same for all workers that share cores."""
    cores: tuple[int, ...]
    """Those that it may use; none where the system does not tell."""
    lacks: str = ""
    """What it would need to play, in a sentence; empty where there is nothing."""
    program: str = "an unknown version"
    """As in `Answer`."""


class Failed(Exception):
    """A worker process has not finished its game; ``str(error)`` says how it ended."""


def greet(folder: str) -> WorkerInfo:
    """Return what this machine offers for the games of a contest file in that folder."""
    cores = tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()
    host = socket.gethostname()
    lacks = "" if Path(folder).is_dir() else f"the contest file's folder {folder} is not there on {host}"
    # names of hosts are sometimes those of many machines, and a container's is not that of its machine
    machine = BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else host
    return WorkerInfo(machine, cores, lacks, program_with_rules())


def foreign_program(program: str) -> str:
    """Say in a sentence that a worker runs another program than the server; empty where it does not."""
    mine = program_with_rules()
    return "" if program == mine else f"the worker runs {program}, and the server runs {mine}"


def game_slots(cores: Sequence[int], threads: int) -> list[tuple[int, ...]]:
    """Return the cores of each game that a worker with that number of threads can play at the same time.

    A game has two programs, and a core for each. Where there are too few free cores, its programs go where they like.
    """
    mine = list(cores)[:threads]
    games = max(1, threads // PROGRAMS)
    return [tuple(mine[PROGRAMS * game : PROGRAMS * (game + 1)]) for game in range(games)]


def play(job: bytes, wanted: Callable[[], bool]) -> bytes:
    """Play a `Job`, and return its `Answer`, both as JSON; return nothing when it is not ``wanted`` any more.

    The process ends with this one, however that ends. Raises `Failed`.
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
                raise Failed(f"the process of the game ended with status {process.returncode}{last}")
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
    gone: tuple[bool, bool] = (False, False)
    """Which side had no connection at the end."""


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
    # how many cores there are is for the worker to say; what is hidden from a program, the other entrants do
    text = definition_text(replace(task.definition, variants=tuple(variants), cores=0))
    return Job(text, task.fixture, task.number, server, starts=dict(task.start_seconds))


def check_answer(job: Job, answer: Any) -> Played:
    """Verify the answer of a worker, and return the game; raises `BadAnswer`, also if the worker was lost."""
    if answer is None:
        raise BadAnswer("its worker was lost")
    if isinstance(answer, Exception):
        raise BadAnswer(f"{type(answer).__name__}: {answer}")
    try:
        found = decode(answer, type=Answer)
    except (msgspec.DecodeError, TypeError) as error:
        raise BadAnswer(f"the answer cannot be read: {error}") from None
    if fault := found.fault or foreign_program(found.program):
        raise BadAnswer(fault)
    if not set(found.wrote) <= set(job.fixture.players):
        raise BadAnswer("the answer has what programs of others have written")
    if not found.record:
        if not found.names or not set(found.names) <= set(job.fixture.players):
            raise BadAnswer("the answer has neither a record nor the names of those who did not come")
        return Played(found)
    return Played(found, *_verified(job, found.record))


def _verified(job: Job, text: str) -> tuple[State, tuple[bool, bool]]:
    """Verify the record of a game, and that it is the record of this game."""
    try:
        summary = verification.verify(text)
    except BadRecord as error:
        raise BadAnswer(f"the record is not true: {error}") from None
    if summary.signature is not None:
        raise BadAnswer("the record has a signature, and this server alone signs its records")
    if any(header_differences(read_definition(job.definition), job.fixture, job.match, summary.header)):
        raise BadAnswer("the record is that of another game")
    if summary.outcome is None:
        raise BadAnswer("the record has no result")
    if summary.outcome.termination in ANNULLED:
        raise BadAnswer(f"the game was annulled there: {summary.sentence}")
    return summary.state, summary.gone
