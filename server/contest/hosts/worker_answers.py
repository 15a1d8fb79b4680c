"""Jobs for a cluster and the verification of its answers. Pure."""

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine import record
from engine.games.outcome import ANNULLED
from engine.record import BadRecord
from server.contest.definition import Definition
from server.contest.fixtures import Programs
from server.contest.hosts.host import GameTask
from server.contest.hosts.worker_job import Answer, Job
from server.contest.store import definition_text
from server.match import recovery
from server.match.referee import State
from server.ops.typed_json import decode


class BadAnswer(Exception):
    """A worker has not played its game. ``str(error)`` says in a sentence what was wrong."""


class Played(NamedTuple):
    """The verified answer of a worker."""

    answer: Answer
    state: State | None = None
    """The match as it has ended; None where it could not begin, for which the answer names who is to blame."""
    gone: tuple[bool, bool] = (False, False)
    """Which side had no connection at the end."""
    programs: Programs = (None, None)
    """What the programs have used."""


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
    # how many cores there are is for the worker to say; what is hidden from a program, the other entrants do
    text = definition_text.encode(replace(task.definition, cores=0))
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
    if found.fault:
        raise BadAnswer(found.fault)
    if not set(found.wrote) | set(found.programs) <= set(job.fixture.players):
        raise BadAnswer("the answer has what programs of others have written or used")
    first, second = job.fixture.players
    programs = (found.programs.get(first), found.programs.get(second))
    if not found.record:
        if not found.names or not set(found.names) <= set(job.fixture.players):
            raise BadAnswer("the answer has neither a record nor the names of those who did not come")
        return Played(found, programs=programs)
    return Played(found, *_verified(job, found.record), programs)


def _verified(job: Job, text: str) -> tuple[State, tuple[bool, bool]]:
    """Verify the record of a game, and that it is the record of this game."""
    try:
        summary = record.verify(text)
    except BadRecord as error:
        raise BadAnswer(f"the record is not true: {error}") from None
    definition, header = definition_text.decode(job.definition), summary.header
    names = tuple(name.lower() for name in header.players)
    wanted = tuple(name.lower() for name in job.fixture.players)
    control, limit = job.fixture.control(definition), definition.move_limit
    if (header.match, names, header.control, header.move_limit, header.position.text()) != (
        *(job.match, wanted, control, limit, job.fixture.position(definition)),
    ):
        raise BadAnswer("the record is that of another game")
    state = recovery.read_finished_match(text)
    if state is None or state.outcome is None:
        raise BadAnswer("the record has no result")
    if state.outcome.termination in ANNULLED:
        raise BadAnswer(f"the game was annulled there: {state.outcome.detail}")
    return state, summary.gone
