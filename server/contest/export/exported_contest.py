"""The contents of an exported contest as plain data: made from a data directory, and verified without it.

An export is for everybody. It has no tokens, not even hashes, and neither the commands nor the folders of programs: it
only says whether the server started them. Verification does not ask where programs were started. The export only reads
the data directory, except for the signing key, which is made once.
"""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.games.outcome import Termination
from engine.match.signature import THIS_SERVER, shown, signer
from server.contest.definition import Definition, Entrant, definition_text, read_definition
from server.contest.export.archive import (
    CONTEST,
    MAX_FILES,
    REPORT,
    BadExport,
    Opened,
    decoded,
    json_text,
    open_export,
    signed,
)
from server.contest.fixtures import GameResult
from server.contest.interventions import Intervention, Kind
from server.contest.plan import Plan, Present, plan
from server.contest.report.contents import make_report
from server.contest.report.files import differences
from server.contest.report.formatting import all_pauses
from server.contest.report.progress import Moment
from server.contest.report.structure import Pause, Report
from server.contest.scoring.results import effective_results
from server.contest.store.store import FILE, Store
from server.contest.store.verification import Past, Verdict, check, recompute
from server.storage.disk import SUFFIX
from server.storage.record_store import find_record

LEFT_OUT = ("(left out)",)
"""Stands for the command of a program."""

LINKS = "records/"
"""Where records stand in an export, and what links to them begin with."""


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A contest as ``contest.json`` has it."""

    definition: str
    """By `server.contest.definition.definition_text`."""
    opened: datetime
    closed: datetime
    stages: dict[int, datetime]
    """When each stage began."""
    pauses: tuple[Pause, ...]
    interventions: tuple[Intervention, ...]
    results: tuple[GameResult, ...]
    """All in order, without the effects of interventions."""
    records: dict[int, str]
    """SHA-256 of the record of each match when its result was kept; empty where that is not known."""

    def past(self) -> Past:
        """Return the contest, to be verified; raises `BadExport`."""
        try:
            definition = replace(read_definition(self.definition), interventions=self.interventions)
        except msgspec.DecodeError as error:
            raise BadExport(str(error)) from None
        _check_size(definition)
        seconds = {number: (self.closed - began).total_seconds() for number, began in self.stages.items()}
        return Past(definition, self.results, self.records, seconds, closed=True)

    def report(self, definition: Definition, games: Sequence[GameResult], plan: Plan) -> Report:
        """Return the report of the contest at its end, for games with the effects of interventions."""
        pauses = all_pauses(self.pauses, definition.interventions)
        moment = Moment(self.closed, self.opened, self.closed, self.stages, pauses=pauses, cores=1)
        return make_report(definition, games, plan, moment, LINKS)


def record_name(match: int | None) -> str:
    """Return the name of the file that has the record of a match."""
    return f"{LINKS}{match}{SUFFIX}"


def published(definition: Definition) -> Definition:
    """Return a definition without what is nobody else's business."""
    entrants = tuple(Entrant(one.name, () if one.connects else LEFT_OUT) for one in definition.entrants)
    changed = tuple(
        done._replace(command=LEFT_OUT if done.command else (), folder="") for done in definition.interventions
    )
    return replace(definition, entrants=entrants, interventions=changed, folder="", visible=())


def _check_size(definition: Definition) -> None:
    """Refuse a contest that has more games than fit into an export: pairing them might never end."""
    n, variants, rules = len(definition.entrants), len(definition.variants), definition.qualification
    pairs = 0 if rules is None else n * rules.pairs
    pairs += sum(stage.format.most_meetings(n) * stage.pairs for stage in definition.stages)
    games = 2 * variants * pairs
    is_drawn = not all(variant.openings and variant.drawn is None for variant in definition.variants)
    if games > 4 * MAX_FILES or min(n, variants) < 1 or is_drawn:
        raise BadExport(f"the contest would have up to {games} games; {MAX_FILES} fit into an export")


def export(data: Path, contest: int) -> bytes:
    """Return the export of a contest that is over, the same bytes each time.

    Raises `BadExport` where it is not over, KeyError where there is none, `BadStore` and OSError.
    """
    contents = _contents(data, contest)
    past = contents.past()
    games = effective_results(past.definition, past.results)
    found = plan(past.definition, games, Present(frozenset(), (), past.seconds))
    files = {CONTEST: json_text(contents), REPORT: json_text(contents.report(past.definition, games, found))}
    for match in sorted(result.match for result in past.results if result.match is not None):
        record = find_record(data, match)
        if record is not None:  # one that is missing is named when the export is verified
            files[record_name(match)] = record
    return signed(data, past.definition.name, files)


def _contents(data: Path, contest: int) -> Contents:
    with closing(Store(data / FILE, copy=True)) as store:
        row, definition = store.contest(contest), published(store.definition(contest))
        if row.closed is None:
            raise BadExport(f"{row.name} is not over yet; a contest is exported when all its games are played")
        return Contents(
            definition=definition_text(definition),
            opened=row.opened,
            closed=row.closed,
            stages=store.stages(contest),
            pauses=tuple(store.pauses(contest)),
            interventions=definition.interventions,
            results=tuple(store.results(contest)),
            records=dict(sorted(store.records(contest).items())),
        )


class VerifiedExport(NamedTuple):
    """The result of verifying an export."""

    contest: str
    """The name of the contest."""
    key: str
    """The public key that has signed it."""
    verdict: Verdict
    entered: tuple[str, ...]
    """A sentence for each version of a bot that was entered: its number, and the SHA-256 of the file that was sent."""


def verify_export(data: bytes) -> VerifiedExport:
    """Verify an exported contest: signature, files, records, results, pairings, tables, ratings.

    Raises `BadExport` where it is none or its signature is not true. Takes about ten milliseconds a game.
    """
    opened = open_export(data)
    contents = decoded(opened.files, CONTEST, Contents)
    past = contents.past()
    try:
        verdict = _verdict(opened, contents, past)
    except (IndexError, AssertionError, KeyError, OverflowError, ValueError) as error:
        raise BadExport(f"{CONTEST} contradicts itself, so that nothing can be recomputed: {error!r}") from None
    entered = tuple(done.sentence for done in contents.interventions if done.kind is Kind.VERSION)
    return VerifiedExport(opened.contest, shown(opened.key), verdict, entered)


def _verdict(opened: Opened, contents: Contents, past: Past) -> Verdict:
    """Verify the records and the report of an export."""
    records = {result.match: opened.files.get(record_name(result.match)) for result in past.played}
    unsigned = [match for match, text in records.items() if text and signer(opened.key, text) != THIS_SERVER]
    digests = contents.records
    found = recompute(
        past,
        [
            check(past.definition, result, records[result.match], digests.get(result.match or 0, ""))
            for result in past.played
        ],
    )
    strays = {name for name in opened.files if name.startswith(LINKS)}.difference(map(record_name, records))
    made = contents.report(past.definition, found.games, found.plan)
    report = decoded(opened.files, REPORT, Report)
    adjudicated = [
        f"match {result.match}, {' against '.join(result.fixture.players)}: {result.detail}; the record has no proof"
        for result in past.played
        if result.termination == Termination.ADJUDICATED
    ]
    return found.verdict._replace(
        differences=(
            *opened.changed,
            *(f"match {match}: the record is not signed by the key of the export" for match in unsigned),
            *found.verdict.differences,
            *(f"{name} is of no game of the contest" for name in sorted(strays)),
            *differences(msgspec.to_builtins(made), msgspec.to_builtins(report)),
        ),
        unproven=(*found.verdict.unproven, *adjudicated),
    )
