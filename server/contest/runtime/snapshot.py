"""A snapshot of a contest from the store, from which progress and reports are made."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from server.contest.definition import Definition, Sandbox
from server.contest.fixtures import GameResult
from server.contest.hosts.contest_players import Presence
from server.contest.plan import Plan, Present, plan
from server.contest.programs.sandbox.choice import lacks
from server.contest.programs.sandbox.cores import Cores
from server.contest.report import files, formatting
from server.contest.report.contents import make_report
from server.contest.report.formatting import all_pauses
from server.contest.report.progress import Moment
from server.contest.report.structure import Loss, Pause, Report
from server.contest.store.folders import folder_of, link_to_log, links_to_logs
from server.contest.store.store import Store


class ContestSnapshot(NamedTuple):
    """The state of a contest at a moment."""

    definition: Definition
    games: list[GameResult]
    plan: Plan
    moment: Moment

    def report(self) -> Report:
        """Return the whole report; that of a long contest takes seconds."""
        return make_report(*self)


def take_snapshot(store: Store, contest: int, now: datetime, present: Presence | None = None) -> ContestSnapshot:
    """Return the present state of a contest; without ``present``, from the store alone."""
    row, definition = store.contest(contest), store.definition(contest)
    games, began = store.games(contest), store.stages(contest)
    if present is None:
        present = Presence(frozenset(store.begun(contest).values()))
    pauses = store.pauses(contest)
    if present.paused is not None and (not pauses or pauses[-1].ended is not None):
        pauses.append(present.paused)  # that could not be kept
    pauses = all_pauses(pauses, definition.interventions)
    if definition.awaited_versions and row.closed is None:
        until = definition.versions_until
        when = "later" if until is None else f"at {formatting.date(until)}"
        pauses.append(Pause(row.opened, None, f"which versions of bots play is chosen {when}"))
    seconds = {stage: (now - date).total_seconds() for stage, date in began.items()}
    found = plan(definition, games, Present(present.running, (), seconds))
    verified = store.verification(contest) if row.closed is not None else None
    seals = definition.sandbox is Sandbox.SEALED and not all(entrant.connects for entrant in definition.entrants)
    notes = (*(() if verified is None else verified.notes), *(lacks() if seals else ()))
    moment = Moment(now, row.opened, row.closed, began, present.running, present.missing, pauses, notes, Cores().count)
    return ContestSnapshot(definition, games, found, moment)


def write_report(data: Path, contest: int, found: ContestSnapshot) -> Report:
    """Write the report of a contest into its folder, and return it; raises OSError."""
    made = _with_logs(found.report(), data, contest)
    files.write_report_files(made, folder_of(data, contest))
    return made


def _with_logs(made: Report, data: Path, contest: int) -> Report:
    """Add the links to logs of programs, which are for their authors and the organiser: a report is for everybody."""
    kept = links_to_logs(data, contest)

    def linked(losses: tuple[Loss, ...]) -> tuple[Loss, ...]:
        links = ["" if loss.match is None else link_to_log(loss.match, loss.name) for loss in losses]
        return tuple(
            msgspec.structs.replace(loss, log=link) if link in kept else loss
            for loss, link in zip(losses, links, strict=True)
        )

    out = tuple(msgspec.structs.replace(one, evidence=linked(one.evidence)) for one in made.disqualified)
    return msgspec.structs.replace(made, losses=linked(made.losses), disqualified=out)
