"""The organiser's interventions in a contest: plain data, and what follows from them (pure).

Interventions are stored in the order in which they were made. They overwrite no result: the games that are due follow
from the definition, the results and the interventions. Each intervention has the stage and round that the contest had
reached. Rounds that were paired before it stay as they are.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What the organiser can do."""

    WITHDRAW = "withdraw"
    """An entrant plays no more; its games that were not played yet are lost, but not on time."""
    REINSTATE = "reinstate"
    """An entrant that was disqualified or withdrawn plays again; what it had done wrong before counts no more."""
    REPLAY = "replay"
    """The result of a game counts no more, and the game is played again."""
    COMMAND = "command"
    """An entrant's program is called in another way from its next game on."""
    VERSION = "version"
    """The version of a bot that plays as an entrant is chosen; no organiser does that, but the deadline."""
    PAUSE = "pause"
    """No game begins any more; those that are running are played to their ends."""
    RESUME = "resume"
    """Games begin again after a pause."""
    CANCEL = "cancel"
    """The contest is over, with the table as it is; games that are running are annulled."""


class Target(StrEnum):
    """The object of an intervention."""

    CONTEST = "contest"
    GAME = "game"
    ENTRANT = "entrant"
    PLAYING = "playing"
    """An entrant that is neither disqualified nor withdrawn."""
    OUT = "out"
    """An entrant that is disqualified or withdrawn."""


class Action(NamedTuple):
    """The texts of a kind of intervention, and the place where organisers find it."""

    done: str
    """The intervention as a sentence without its end, a format of the intervention and its command."""
    effect: str
    """The effect as a sentence without its end."""
    target: Target = Target.CONTEST
    question: str = ""
    """The text of the button that confirms the action on the page of a contest; empty where one click is enough."""
    in_console: bool = True
    """Whether the page of a contest accepts it."""


ACTIONS = {
    Kind.WITHDRAW: Action(
        "{0.name} was withdrawn",
        "games that are not over are lost, without blame; a game that is being played is ended",
        Target.PLAYING,
        "Withdraw: all remaining games are lost",
    ),
    Kind.REINSTATE: Action(
        "{0.name} was reinstated",
        "forfeited games are played now, without those on which later rounds rest",
        Target.OUT,
    ),
    Kind.REPLAY: Action(
        "the result of match {0.match} was annulled; the game is played again", "the record stays", Target.GAME
    ),
    # a command is any program on the server, so that only its user may change it
    Kind.COMMAND: Action(
        "{0.name} has a new command: {1}", "it holds from the next game on", Target.ENTRANT, in_console=False
    ),
    Kind.VERSION: Action(
        "version {0.version} plays as {0.name}", "it stays this one", Target.ENTRANT, in_console=False
    ),
    Kind.PAUSE: Action(
        "the contest was paused", "games that are running are played to their ends, and no other begins"
    ),
    Kind.RESUME: Action("the contest was resumed", "games begin again"),
    Kind.CANCEL: Action(
        "the contest was cancelled", "games that are running are annulled, and the table stays as it is"
    ),
}


class Intervention(NamedTuple):
    """Something that the organiser has done."""

    number: int
    """Counts from 1 in each contest."""
    date: datetime
    kind: Kind
    name: str = ""
    """The entrant; empty where a game is replayed, or the whole contest changes."""
    match: int | None = None
    """Number of the record of the game that is replayed."""
    command: tuple[str, ...] = ()
    """The program and its arguments, of `Kind.COMMAND` and `Kind.VERSION`."""
    stage: int = -1
    """The last stage in which a game had begun, counted as in `Fixture`."""
    round: int = 0
    """The last round in which a game had begun."""
    folder: str = ""
    """Where the version is, of `Kind.VERSION`."""
    version: int = 0
    """Its number."""
    sha256: str = ""
    """Of the file that its author has sent, in hexadecimal."""

    @property
    def sentence(self) -> str:
        """What was done, in a sentence without its end."""
        sent = f", sent as a file with the SHA-256 {self.sha256}" if self.sha256 else ""
        return ACTIONS[self.kind].done.format(self, " ".join(self.command)) + sent

    @property
    def with_effect(self) -> str:
        """What was done and its effect, in a sentence without its end."""
        return f"{self.sentence}; {ACTIONS[self.kind].effect}"


END = (1 << 62, 0)
"""Behind every round of every stage."""


def withdrawn(interventions: Iterable[Intervention], before: tuple[int, int] = END) -> set[str]:
    """Return who had been withdrawn before a round of a stage began, and not been reinstated."""
    last = {
        done.name: done.kind
        for done in interventions
        if done.kind in (Kind.WITHDRAW, Kind.REINSTATE) and (done.stage, done.round) < before
    }
    return {name for name, kind in last.items() if kind is Kind.WITHDRAW}


def pardoned(interventions: Iterable[Intervention], before: tuple[int, int] = END) -> dict[str, int]:
    """Return by entrant the number of its last reinstatement before a round of a stage began.

    What it did wrong in games that had begun before that intervention does not count any more.
    """
    return {
        done.name: done.number
        for done in interventions
        if done.kind is Kind.REINSTATE and (done.stage, done.round) < before
    }


def pauses(interventions: Iterable[Intervention]) -> list[tuple[datetime, datetime | None]]:
    """Return when the organiser's pauses began and ended, in order; the end is None while one lasts."""
    found: list[tuple[datetime, datetime | None]] = []
    for done in interventions:
        lasts = bool(found) and found[-1][1] is None
        if done.kind is Kind.PAUSE and not lasts:
            found.append((done.date, None))
        elif done.kind in (Kind.RESUME, Kind.CANCEL) and lasts:
            found[-1] = (found[-1][0], done.date)
    return found


def is_paused(interventions: Iterable[Intervention]) -> bool:
    """Tell whether no game is to begin, until the organiser resumes the contest."""
    found = pauses(interventions)
    return bool(found) and found[-1][1] is None


def is_cancelled(interventions: Iterable[Intervention]) -> bool:
    """Tell whether the organiser has ended the contest before its last game."""
    return any(done.kind is Kind.CANCEL for done in interventions)
