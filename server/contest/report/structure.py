"""A report as plain data, from which all outputs are made, and the schema of its JSON.

Times of games are in microseconds, dates in UTC, ratings in Elo.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec

from engine.statistics.elo import Rating, Sprt
from engine.wire.words import number_of
from server.contest.fixtures import BY_ORGANISER, Bye, games_over
from server.contest.formats.format import Standing

TEST = Sprt(-25, 25)
"""The test which of two entrants is the stronger one. Its hypotheses are 25 Elo either way.

It errs in 5 % of the cases where the difference is that large, less often where it is larger."""


class ContestState(StrEnum):
    """The state of a contest: one word for the same thing everywhere."""

    PLANNED = "planned"
    """No game has begun, and none waits for an entrant."""
    WAITING = "waiting"
    """No game is running, and games wait for entrants that are missing."""
    RUNNING = "running"
    PAUSED = "paused"
    """By the organiser, or after a fault of the machine."""
    OVER = "over"


class ReportedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is over."""

    number: int
    """Its place in the report, from 1."""
    match: int | None
    """Number of its record; None where it was not played."""
    record: str
    """Link to the record; empty where there is none."""
    stage: int
    """From 1; 0 is the qualification."""
    round: int
    variant: str
    opening: int
    """From 1, among those of the variant."""
    first: str
    """The player that began."""
    second: str
    result: str
    """``first``, ``second``, ``draw``, ``none`` where it was not played and nobody has won, or ``annulled``.

    A game that was set aside is a ``draw`` that was not played."""
    reason: str
    """A word: how it ended."""
    sentence: str
    plies: int
    first_used: int
    second_used: int
    played: bool
    counts: bool
    """False where it was annulled, or the same game had a result before."""
    first_cpu: int | None = None
    """Processor time of the program of who began; None where no program was started, or nothing is known of it."""
    second_cpu: int | None = None
    first_wall: int | None = None
    """Time from the start of that program to its end."""
    second_wall: int | None = None
    first_memory: int | None = None
    """Bytes that it used at most at a time, as far as was seen; None where nobody looked."""
    second_memory: int | None = None
    first_status: int | None = None
    """Its exit status, negative for a signal; None where the server has ended it."""
    second_status: int | None = None

    @property
    def points(self) -> tuple[float, float] | None:
        """Return the points of both sides; None for an annulled game."""
        return _POINTS.get(self.result)

    def points_of(self, name: str) -> float:
        """Return the points of a player of this game, which counts."""
        return _POINTS[self.result][name != self.first]


_POINTS = {"first": (1.0, 0.0), "second": (0.0, 1.0), "draw": (0.5, 0.5), "none": (0.0, 0.0)}


class ReportedLoss(msgspec.Struct, frozen=True, kw_only=True):
    """A lost game, and why it was lost."""

    name: str
    opponent: str
    game: int
    match: int | None
    record: str
    stage: int
    cause: str
    """A word of `server.contest.scoring.Cause`."""
    reason: str
    sentence: str
    log: str = ""
    """Link to what the program of the loser wrote on stderr, where it wrote anything: the organiser has the file."""


def out_text(reason: str) -> str:
    """Return the state of an entrant that plays no more: disqualified with the reason, or withdrawn."""
    return reason if reason == BY_ORGANISER else f"disqualified: {reason}"


class Disqualified(msgspec.Struct, frozen=True, kw_only=True):
    """A disqualified or withdrawn entrant."""

    name: str
    reason: str
    evidence: tuple[ReportedLoss, ...]


class Pause(msgspec.Struct, frozen=True):
    """A time in which a contest stood still through a fault that was no entrant's."""

    began: datetime
    ended: datetime | None
    """None: it lasts."""
    reason: str


MAX_NOTES = 20
"""Differences that a report names."""


class Verdict(NamedTuple):
    """The result of a verification."""

    games: int
    """Games that count, and were held against their records."""
    trusted: int
    """Games that did not take place, as by absence: they have no record, and follow from nothing else."""
    differences: tuple[str, ...]
    unproven: tuple[str, ...] = ()
    """A sentence for each game that did not take place. The store does not keep it."""
    annulled: int = 0
    """Annulled games that were held against their records."""

    @property
    def sentence(self) -> str:
        """The verdict as a sentence."""
        text = number_of(self.games, "game") + (f", and {self.annulled} annulled" if self.annulled else "")
        if self.trusted:
            text += f"; {self.trusted} did not take place, by the kept results alone: no record shows it"
        if not self.differences:
            return f"verified: {text}"
        return f"NOT verified: {number_of(len(self.differences), 'difference')} in {text}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes for the report."""
        more = len(self.differences) - MAX_NOTES
        left = (f"{more} more differences: arena-server contest --verify names them",) if more > 0 else ()
        return (self.sentence, *self.differences[:MAX_NOTES], *left)


class Cell(msgspec.Struct, frozen=True):
    """The result of a player against another one."""

    points: float
    wins: int
    draws: int
    losses: int
    games: tuple[int, ...]
    """Numbers of the played and forfeited games, in their order."""


class ReportedMeeting(msgspec.Struct, frozen=True, kw_only=True):
    """A meeting of a bracket."""

    players: tuple[str | None, str | None]
    """None where it is not known yet who gets there, and in place of the opponent in a bye."""
    points: tuple[float, float]
    winner: int | None
    """The place of who goes on, 0 or 1; None as long as that is open."""
    bye: bool
    games: tuple[int, ...]
    """Numbers of those that are over."""


class BracketRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round of a bracket."""

    name: str
    meetings: tuple[ReportedMeeting, ...]
    """The winners of the first two meet in the first one of the next round, and so on."""


class ReportedStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage that has begun."""

    number: int
    """From 1."""
    format: str
    kind: str
    """The format's word in contest files."""
    time: str
    began: datetime | None
    over: bool
    games: int
    """Games that are over."""
    known: int
    """Games that have been paired so far."""
    table: tuple[Standing, ...]
    crosstable: tuple[tuple[Cell | None, ...], ...]
    """A row a line of the table, and in it an entry a line, with the numbers of games; None where they have not met."""
    byes: tuple[Bye, ...]
    bracket: tuple[BracketRound, ...] = ()
    """The rounds of a knockout, up to the final."""


class Qualified(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an entrant in the qualification."""

    name: str
    games: int
    left: int
    late: int
    """Games lost on time."""
    bad_moves: int
    disqualified: str
    """Why; empty if it is not."""

    @property
    def verdict(self) -> str:
        """Return what the qualification says of the entrant."""
        return out_text(self.disqualified) if self.disqualified else "open" if self.left else "qualified"


class ReportedQualification(msgspec.Struct, frozen=True, kw_only=True):
    """The games against built-in bots before the contest."""

    opponents: tuple[str, ...]
    time: str
    over: bool
    table: tuple[Qualified, ...]


class ReportedVariant(msgspec.Struct, frozen=True, kw_only=True):
    """A variant, and the results of its games."""

    name: str
    openings: int
    games: int
    first_wins: int
    draws: int
    second_wins: int
    advantage: float | None
    """The advantage of beginning in Elo, by the model of the ratings; None without ratings."""
    drawn_by_equals: float | None
    """How often equals would draw, 0 to 1, by that model."""


class HeadToHead(msgspec.Struct, frozen=True, kw_only=True):
    """Two entrants compared by their pairs of games."""

    one: str
    other: str
    pairs: tuple[int, ...]
    """How many pairs gave the first one 0, a half, 1, one and a half, 2 points."""
    elo: float
    margin: float | None
    """Half of the 95 % interval; None where all pairs ended alike, so that it has no end."""
    los: float
    """The likelihood that the first one is the stronger, 0 to 1."""
    ratio: float
    """Log-likelihood ratio of the sequential test."""
    verdict: str
    """The stronger one by that test; empty as long as it is open."""


class ScheduledGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is running, or can begin."""

    stage: int
    """From 1; 0 is the qualification."""
    round: int
    variant: str
    opening: int
    """From 1, among those of the variant."""
    first: str
    """The player that begins."""
    second: str
    running: bool
    waits_for: tuple[str, ...] = ()
    """Missing players of a game that can begin only when they are present."""


class ReportedIntervention(msgspec.Struct, frozen=True, kw_only=True):
    """A change that the organiser has made."""

    date: datetime
    what: str
    """A word of `server.contest.fixtures.Kind`."""
    sentence: str


def leaders(table: Sequence[Standing]) -> tuple[str, ...]:
    """Return the first of a table; nobody before a game was played, while all are level, or who was disqualified."""
    first = tuple(line.name for line in table if line.place == 1 and not line.disqualified)
    return first if any(line.games for line in table) and len(first) < len(table) else ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a contest at a moment."""

    name: str
    state: ContestState
    status: str = ""
    """The state in a sentence without its end, with names, dates and reasons; empty in older exports."""
    waiting_for: tuple[str, ...] = ()
    """Missing entrants that games wait for."""
    champions: tuple[str, ...] = ()
    """The winners of a contest that is over; none if it was cancelled or no game was played."""
    connecting: tuple[str, ...] = ()
    """Entrants that connect by themselves."""
    compares_versions: bool = False
    """Whether all entrants are versions of one bot."""
    opened: datetime
    closed: datetime | None
    made: datetime
    """The moment that the report shows."""
    entrants: tuple[str, ...]
    variants: tuple[ReportedVariant, ...]
    done: int
    """Games that are over and count, also those that were not played."""
    running: int
    due: int
    """Games that can begin."""
    left: int = 0
    """Games that are still to be played, those of rounds that are not paired yet and likely tie-breaks included."""
    seconds_left: float | None = None
    """How long these will take, about, without games that wait for missing entrants; None as long as nothing tells."""
    qualification: ReportedQualification | None
    stages: tuple[ReportedStage, ...]
    ratings: tuple[Rating, ...]
    """The strongest first; empty as long as nobody has played."""
    comparisons: tuple[HeadToHead, ...]
    disqualified: tuple[Disqualified, ...]
    losses: tuple[ReportedLoss, ...]
    """Lost games of entrants, not of built-in bots."""
    games: tuple[ReportedGame, ...]
    pauses: tuple[Pause, ...]
    """In order."""
    interventions: tuple[ReportedIntervention, ...] = ()
    """In order."""
    schedule: tuple[ScheduledGame, ...] = ()
    """The running games, the next games whose players are present, then the games that wait for missing players."""
    notes: tuple[str, ...]
    """How programs are run where that is not as usual, and what the report leaves out and why; a sentence each."""

    def games_over(self, stage: int | None = None) -> str:
        """Return how many games of a stage, or of all stages, were played and how many were forfeited."""
        return games_over(game.reason for game in self.games if game.counts and stage in (None, game.stage))
