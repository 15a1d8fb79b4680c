"""The evidence for grades: what reports show of each player.

Reports are the JSON files of ``arena-bot check`` and ``arena-bot match``, and the ``report.json`` of contests. Names of
players are the same in upper and lower case, as on the server.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from engine.statistics.elo import OUTCOMES, Counts, count_pairs
from engine.wire.words import number_of
from server.contest.report.structure import Report
from server.ops.typed_json import convert, decode

STOPPED = 130
"""The exit status of a match that Ctrl-C has ended."""


class BadReport(ValueError):
    """A text that is no report. ``str(error)`` is a sentence for people."""


class Measured(NamedTuple):
    """The number of a player that a criterion looks at, with its reason."""

    value: float
    why: str
    files: tuple[str, ...] = ()
    """The reports that show it."""


@dataclass
class Meeting:
    """The games of a player against an opponent."""

    games: int = 0
    points: float = 0.0
    pairs: Counts = (0,) * OUTCOMES
    """The numbers of pairs of games by their result, that of 0 points first."""
    files: list[str] = field(default_factory=list)


@dataclass
class Evidence:
    """The evidence of all players. Keys of players are their names in lower case."""

    names: dict[str, str] = field(default_factory=dict)
    """The names as in reports, by key."""
    measured: dict[tuple[str, str], Measured] = field(default_factory=dict)
    """By criterion and player: builds, conformance, rating and place."""
    meetings: defaultdict[tuple[str, str], Meeting] = field(default_factory=lambda: defaultdict(Meeting))
    """By player and opponent."""
    places: int = 0
    """Players in the table of the contest."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The names of players by the keys of other names that they have in reports."""

    def add_name(self, name: str) -> str:
        """Note a player, and return the key."""
        name = self.aliases.get(name.lower(), name)
        return self.names.setdefault(name.lower(), name).lower()

    def add(self, criterion: str, name: str, value: float, why: str, file: str) -> None:
        """Add the number of a player; ``file`` is the report's place for people, empty for none."""
        self.measured[criterion, self.add_name(name)] = Measured(value, why, (file,) if file else ())

    def add_rating(self, name: str, elo: float, low: float | None, games: int, file: str) -> None:
        """Add a rating; its lower end counts, the rating itself where it has no interval."""
        least = elo if low is None else low
        self.add(
            "rating", name, least, f"rating {elo:+.0f} from {number_of(games, 'game')}, at least {least:+.0f}", file
        )

    def add_place(self, name: str, place: int, of: int, file: str) -> None:
        """Add the place of a player in a table."""
        self.places = of
        self.add("place", name, place, f"place {place} of {of}", file)

    def add_game(self, players: tuple[str, str], points: tuple[float, float], file: str) -> None:
        """Add a game with the points of both players."""
        one, other = (self.add_name(name) for name in players)
        for met, got in (((one, other), points[0]), ((other, one), points[1])):
            meeting = self.meetings[met]
            meeting.games += 1
            meeting.points += got
            if file and file not in meeting.files:
                meeting.files.append(file)

    def add_pairs(self, one: str, other: str, counts: Counts) -> None:
        """Add pairs of games, as counts of the first player's results."""
        for met, seen in (((one, other), counts), ((other, one), counts[::-1])):
            meeting = self.meetings[self.add_name(met[0]), self.add_name(met[1])]
            meeting.pairs = tuple(a + b for a, b in zip(meeting.pairs, seen, strict=True))


class _MatchGame(msgspec.Struct):
    number: int
    players: tuple[str, str]
    points: tuple[float, float]


class _Match(msgspec.Struct):
    status: int
    games: list[_MatchGame]


class _Build(msgspec.Struct):
    command: str
    status: int


class _Check(msgspec.Struct):
    passed: int
    failed: int
    build: _Build | None = None


def add_report(evidence: Evidence, content: bytes, owner: str, file: str = "") -> None:
    """Add a report; ``owner`` is the player of a conformance test, empty where nobody is named.

    ``file`` is the report's place for people. Raises `BadReport`.
    """
    try:
        top: Any = decode(content, type=Any)
    except msgspec.DecodeError as error:
        raise BadReport(f"it is no JSON: {error}") from None
    keys = set(top) if isinstance(top, dict) else set()
    try:
        if "report" in keys and top["report"] == "check":
            _add_check(evidence, convert(top, _Check), owner, file)
        elif keys >= {"setting", "players", "games"}:
            _add_match(evidence, convert(top, _Match), file)
        elif keys >= {"entrants", "stages", "games"}:
            _add_contest(evidence, convert(top, Report), file)
        else:
            raise BadReport("it is no report of arena-bot check --json, arena-bot match --json or a contest")
    except msgspec.ValidationError as error:
        raise BadReport(f"it is no whole report: {error}") from None


def _add_check(evidence: Evidence, check: _Check, owner: str, file: str) -> None:
    if not owner:
        raise BadReport("it does not say whose bot was tested: write NAME=FILE")
    if ("conformance", evidence.add_name(owner)) in evidence.measured:
        raise BadReport(f"it is the second conformance test of {owner}")
    tried = check.passed + check.failed
    if tried:
        why = f"{check.passed} of {tried} situations passed"
        evidence.add("conformance", owner, check.passed / tried, why, file)
    if check.build is not None:
        done = check.build.status == 0
        how = "builds it" if done else f"ended with status {check.build.status}"
        evidence.add("builds", owner, float(done), f"{check.build.command} {how}", file)


def _add_match(evidence: Evidence, match: _Match, file: str) -> None:
    if match.status == STOPPED:
        raise BadReport("the match was stopped before its end")
    pairs: defaultdict[tuple[str, ...], list[tuple[int, float]]] = defaultdict(list)
    for game in match.games:
        evidence.add_game(game.players, game.points, file)
        one, other = sorted(game.players)
        pairs[one, other].append(((game.number - 1) // 2, game.points[game.players.index(one)]))
    for (one, other), points in pairs.items():
        evidence.add_pairs(one, other, count_pairs(points))


def _add_contest(evidence: Evidence, contest: Report, file: str) -> None:
    if contest.state != "over":
        raise BadReport("the contest is not over")
    if evidence.places:
        raise BadReport("it is the second contest: one contest can be graded")
    for entrant in contest.entrants:
        evidence.add_name(entrant)
    for game in contest.games:
        if game.counts and game.points is not None:
            evidence.add_game((game.first, game.second), game.points, file)
    for comparison in contest.comparisons:
        evidence.add_pairs(comparison.one, comparison.other, comparison.pairs)
    table = contest.stages[-1].table if contest.stages else ()
    for line in table:
        evidence.add_place(line.name, line.place, len(table), file)
    for one in contest.ratings:
        evidence.add_rating(one.name, one.elo, one.low, one.games, file)
