"""Rows of a contest: its games before and after they are played, and the organiser's interventions (pure).

Interventions overwrite no result: the due games follow from the definition, the results and the interventions. Each
intervention has the stage and round that the contest had reached. Rounds that were paired before it stay as they are.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import permutations
from typing import NamedTuple

import msgspec

from engine.games.interface import ANNULLED
from engine.wire.words import number_of

QUALIFICATION = -1
"""The number of the qualification among the stages, which count from 0."""

FORFEIT = "forfeit"
"""How a game ended that was not played because a player, or both, had been disqualified."""

ABSENT = "absent"
"""How a game ended that was not played because a player, or both, did not come to it."""

WITHDRAWN = "withdrawn"
"""How a game ended that was not played because the organiser had withdrawn a player, or both."""

BY_ORGANISER = "withdrawn by the organiser"
"""Why an entrant that was withdrawn is out. It did nothing wrong, so no sentence calls it disqualified."""

NOT_STARTED = "not_started"
"""How a game ended that was not played because the program of a player could not be started."""

ENDED_AT_START = "ended_at_start"
"""How a game ended that was not played because the program of a player ended before its first word."""

NO_ANSWER = "no_answer"
"""How a game ended that was not played because the program of a player said nothing in the time it has for that."""

SET_ASIDE = "set_aside"
"""How a game ended that could not be played, again and again, through no fault of its players that is known.

Both have half a point for it; it is a loss for nobody, and rates nobody."""

_NOT_COME = (ABSENT, NOT_STARTED, ENDED_AT_START, NO_ANSWER)

BOTH_WAYS = {f"{first}+{second}": (first, second) for first, second in permutations(_NOT_COME, 2)}
"""How a game ended to which both players did not come, each in a way of its own, and the way of each side."""

UNPLAYED = frozenset({FORFEIT, WITHDRAWN, *_NOT_COME, *BOTH_WAYS, SET_ASIDE})


class Fixture(NamedTuple):
    """A game that is to be played. Equal fixtures of a contest are the same game."""

    stage: int
    round: int
    """Counts from 1 in each stage."""
    variant: int
    """Place in `Definition.variants`."""
    pair: int
    """Pairs of a meeting in a variant count from 0; those added to break a tie go on behind the others."""
    opening: int
    """Openings count from 0; behind the last one of the variant comes the first again."""
    players: tuple[str, str]
    """Names, that of the side that begins first."""

    @property
    def swapped(self) -> "Fixture":
        """The other game of the pair: from the same opening with colours swapped."""
        return self._replace(players=self.players[::-1])


class ProgramUsage(NamedTuple):
    """Resources that a player's program, with all processes that it started, has used in a game, and how it ended."""

    cpu_seconds: float
    wall_seconds: float
    """From its start to its end."""
    memory: int | None = None
    """Bytes, at most at a time, as far as was seen; None where nobody looked."""
    status: int | None = None
    """Its exit status, negative for a signal; None where the server has ended it."""


Programs = tuple[ProgramUsage | None, ProgramUsage | None]
"""The usage of both sides; None for a player that has connected by itself, and where nothing is known."""


class GameResult(NamedTuple):
    """A game that is over. Annulled games are included; they count for nothing."""

    fixture: Fixture
    match: int | None
    """Number of its record; None where it was not played."""
    winner: int | None
    """The side that has won, 0 or 1; None: none has."""
    termination: str
    """A word of `engine.games.interface.Termination` or of the game, or one of `UNPLAYED`."""
    detail: str = ""
    """The sentence of the record: which rule, which move, which figures."""
    plies: int = 0
    """Moves that were played, both sides' counted; those of the opening are none of them."""
    used: tuple[int, int] = (0, 0)
    """Time that each side has used, in microseconds."""
    ready: tuple[bool, bool] = (True, True)
    """Which side has ended its initialisation."""
    gone: tuple[bool, bool] = (False, False)
    """Which side had no connection when the game ended."""
    seconds: float = 0.0
    """Seconds from the start of its programs to its result; 0 where that is not known."""
    interventions: int = 0
    """How many interventions of the organiser there were when it began, or was lost without being played."""
    programs: Programs = (None, None)

    @property
    def played(self) -> bool:
        """Tell whether the game was really played."""
        return self.termination not in UNPLAYED

    @property
    def shared(self) -> bool:
        """Tell whether each side has half a point: after a draw, or if the game was set aside."""
        return self.winner is None and (self.played or self.termination == SET_ASIDE)

    def points(self, side: int) -> float:
        """Return the points of a side: 1, a half, or 0. If both are to blame, both have 0."""
        return 0.5 if self.shared else float(self.winner == side)


class Bye(msgspec.Struct, frozen=True):
    """A round in which an entrant has no opponent."""

    round: int
    name: str


class Schedule(NamedTuple):
    """All fixtures that a format has decided so far, played or not."""

    fixtures: tuple[Fixture, ...]
    """In the order in which they are best played."""
    byes: tuple[Bye, ...] = ()
    complete: bool = True
    """No more fixtures will come."""
    final: bool = False
    """Games that are not among the fixtures count for nothing, also those that are being played."""


def counted_games(games: Iterable[GameResult]) -> list[GameResult]:
    """Return the games that count: the first one of each fixture that was not annulled."""
    first: dict[Fixture, GameResult] = {}
    for game in games:
        if game.termination not in ANNULLED:
            first.setdefault(game.fixture, game)
    return list(first.values())


def games_over(terminations: Iterable[str]) -> str:
    """Return how many counted games were played, forfeited and set aside: ``12 games played, 8 forfeited``."""
    counts = Counter(one if one == SET_ASIDE else FORFEIT if one in UNPLAYED else "" for one in terminations)
    others = [
        f", {counts[one]} {what}" for one, what in ((FORFEIT, "forfeited"), (SET_ASIDE, "set aside")) if counts[one]
    ]
    return f"{number_of(counts[''], 'game')} played{''.join(others)}"


def rated_games(games: Iterable[GameResult]) -> list[tuple[str, str, int, int | None]]:
    """Return the games that count for ratings, in the form of `engine.statistics.likelihood.Result`."""
    return [(*game.fixture.players, game.fixture.variant, game.winner) for game in counted_games(games) if game.played]


def meeting(
    stage: int, round: int, players: tuple[str, str], variants: Sequence[int], pairs: range, opening: int
) -> list[Fixture]:
    """Return the games of a meeting: pairs in each variant, in which each player begins once.

    The first pair has the opening given, the next ones those that follow.
    """
    return [
        Fixture(stage, round, variant, pair, opening + place, order)
        for place, pair in enumerate(pairs)
        for variant in variants
        for order in (players, players[::-1])
    ]


def whole_meeting(stage: int, round: int, players: tuple[str, str], variants: int, pairs: int) -> list[Fixture]:
    """Return all games of a meeting in a number of variants; all meetings of a round have the same openings."""
    return meeting(stage, round, players, range(variants), range(pairs), (round - 1) * pairs)


def points(games: Iterable[GameResult]) -> defaultdict[str, float]:
    """Return the points of each player in the games; 0 for others."""
    total: defaultdict[str, float] = defaultdict(float)
    for game in games:
        for side, name in enumerate(game.fixture.players):
            total[name] += game.points(side)
    return total


class Kind(StrEnum):
    """An action of the organiser."""

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
    """The intervention as a sentence without its end, a format of the intervention, its command and the contest."""
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
    Kind.PAUSE: Action("{2} was paused", "games that are running are played to their ends, and no other begins"),
    Kind.RESUME: Action("{2} was resumed", "games begin again"),
    Kind.CANCEL: Action("{2} was cancelled", "games that are running are annulled, and the table stays as it is"),
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
    """The SHA-256 of the file that its author has sent, in hexadecimal."""

    def describe(self, contest: str = "the contest") -> str:
        """Return the action as a sentence without its end; ``contest`` names what it paused or ended."""
        sent = f", sent as a file with the SHA-256 {self.sha256}" if self.sha256 else ""
        return ACTIONS[self.kind].done.format(self, " ".join(self.command), contest) + sent


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

    Its faults in games that had begun before that intervention do not count.
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
