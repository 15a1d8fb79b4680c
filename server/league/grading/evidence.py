"""What reports show of each player: situations passed, games, pairs of games, places.

Reports are the JSON files of ``arena-bot check`` and ``arena-bot match``, and the ``report.json`` of contests.
Names of players are compared without regard to case, as the server does.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from engine.statistics.elo import OUTCOMES, Counts, Rating, count_pairs
from server.contest.report.structure import Report
from server.ops.typed_json import convert, decode

STOPPED = 130
"""The exit status of a match that Ctrl-C has ended."""


class BadReport(ValueError):
    """A text that is no report. ``str(error)`` is a sentence for people."""


class Build(NamedTuple):
    """Whether a bot can be built, and a sentence on how that is known."""

    is_built: bool
    why: str


@dataclass
class Evidence:
    """What was seen of all players.

    Keys are names in lower case; those of two names have the player first, then the opponent.
    """

    names: dict[str, str] = field(default_factory=dict)
    """As the reports write them."""
    conformance: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Situations passed, and those that could be tried."""
    games: Counter[tuple[str, str]] = field(default_factory=Counter)
    points: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    pairs: dict[tuple[str, str], Counts] = field(default_factory=dict)
    """How many pairs have had each result, that of 0 points first."""
    places: dict[str, int] = field(default_factory=dict)
    ratings: dict[str, Rating] = field(default_factory=dict)
    builds: dict[str, Build] = field(default_factory=dict)
    check_files: dict[str, str] = field(default_factory=dict)
    """The report of each player's conformance test."""
    game_files: defaultdict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """The reports that have games of two players."""
    contest_files: dict[str, str] = field(default_factory=dict)
    """The report of the contest in which a player has a place or a rating."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """By the key of a name in reports who that is, where it is somebody of another name."""

    def add_name(self, name: str) -> str:
        """Note a player, and return the key."""
        name = self.aliases.get(name.lower(), name)
        return self.names.setdefault(name.lower(), name).lower()

    def add_game(self, players: tuple[str, str], points: tuple[float, float], file: str) -> None:
        """Add a game with the points of both players; ``file`` is where people find it."""
        one, other = (self.add_name(name) for name in players)
        for met, got in (((one, other), points[0]), ((other, one), points[1])):
            self.games[met] += 1
            self.points[met] += got
            if file not in self.game_files[met]:
                self.game_files[met].append(file)

    def add_pairs(self, one: str, other: str, counts: Counts) -> None:
        """Add pairs of games, as counts of what the first player had in them."""
        for met, seen in (((one, other), counts), ((other, one), counts[::-1])):
            key = self.add_name(met[0]), self.add_name(met[1])
            before = self.pairs.get(key, (0,) * OUTCOMES)
            self.pairs[key] = tuple(a + b for a, b in zip(before, seen, strict=True))


class _MatchPlayer(msgspec.Struct):
    name: str


class _MatchGame(msgspec.Struct):
    number: int
    players: tuple[str, str]
    points: tuple[float, float]


class _Match(msgspec.Struct):
    status: int
    setting: Mapping[str, Any]
    players: list[_MatchPlayer]
    games: list[_MatchGame]


class _Build(msgspec.Struct):
    command: str
    status: int


class _Check(msgspec.Struct):
    report: str
    passed: int
    failed: int
    build: _Build | None = None


def add_report(evidence: Evidence, content: bytes, owner: str, file: str = "") -> None:
    """Add what a report shows; ``owner`` is whose conformance test it is, empty where nobody is named.

    ``file`` is where people find the report.

    Raises `BadReport`.
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
    name = evidence.add_name(owner)
    if name in evidence.conformance:
        raise BadReport(f"it is the second conformance test of {owner}")
    evidence.conformance[name] = check.passed, check.passed + check.failed
    evidence.check_files[name] = file
    if check.build is not None:
        done = check.build.status == 0
        how = "builds it" if done else f"ended with status {check.build.status}"
        evidence.builds[name] = Build(done, f"{check.build.command} {how}")


def _add_match(evidence: Evidence, match: _Match, file: str) -> None:
    if match.status == STOPPED:
        raise BadReport("the match was stopped before its end")
    pairs: defaultdict[tuple[str, ...], list[tuple[int, float]]] = defaultdict(list)
    for game in match.games:
        evidence.add_game(game.players, game.points, file)
        one, other = sorted(game.players)
        pairs[one, other].append(((game.number - 1) // 2, game.points[game.players.index(one)]))
    for player in match.players:
        evidence.add_name(player.name)
    for (one, other), points in pairs.items():
        evidence.add_pairs(one, other, count_pairs(points))


def _add_contest(evidence: Evidence, contest: Report, file: str) -> None:
    if contest.state != "over":
        raise BadReport("the contest is not over")
    for entrant in contest.entrants:
        evidence.add_name(entrant)
    for game in contest.games:
        if game.counts and game.points is not None:
            evidence.add_game((game.first, game.second), game.points, file)
    for comparison in contest.comparisons:
        evidence.add_pairs(comparison.one, comparison.other, comparison.pairs)
    for line in contest.stages[-1].table if contest.stages else ():
        name = evidence.add_name(line.name)
        if name in evidence.places:
            raise BadReport(f"{line.name} has a place in an earlier contest: one contest can be graded")
        evidence.places[name] = line.place
        evidence.contest_files[name] = file
    for rating in contest.ratings:
        name = evidence.add_name(rating.name)
        if name in evidence.ratings:
            raise BadReport(f"{rating.name} has a rating in an earlier contest: one contest can be graded")
        evidence.ratings[name] = rating
        evidence.contest_files[name] = file
