"""What reports show of each player: situations passed, games, pairs of games, places.

Reports are the JSON files of ``arena-bot check`` and ``arena-bot match``, and the ``report.json`` of contests. Of each
only that is read which counts here, so that a report of a later version is understood as long as it still has it.
Names of players are compared without regard to case, as the server does.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from engine.duel.statistics import OUTCOMES, Counts

POINTS = {"first": (1.0, 0.0), "second": (0.0, 1.0), "draw": (0.5, 0.5), "none": (0.0, 0.0)}
"""What both sides get for the result of a game in a contest's report."""


STOPPED = 130
"""The exit status of a match that Ctrl-C has ended."""


class BadReport(ValueError):
    """A text that is no report. ``str(error)`` is a sentence for people."""


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
    ratings: dict[str, "_Rating"] = field(default_factory=dict)
    builds: dict[str, "_Build"] = field(default_factory=dict)
    check_files: dict[str, str] = field(default_factory=dict)
    """The report of each player's conformance test."""
    game_files: defaultdict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """The reports that have games of two players."""
    contest_files: dict[str, str] = field(default_factory=dict)
    """The report of the contest in which a player has a place or a rating."""

    def add_name(self, name: str) -> str:
        """Note a player, and return the key."""
        return self.names.setdefault(name.lower(), name).lower()


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


class _ContestGame(msgspec.Struct):
    first: str
    second: str
    result: str
    counts: bool


class _Comparison(msgspec.Struct):
    one: str
    other: str
    pairs: tuple[int, ...]


class _Rating(msgspec.Struct):
    name: str
    elo: float
    low: float | None
    games: int


class _Line(msgspec.Struct):
    place: int
    name: str


class _Stage(msgspec.Struct):
    table: list[_Line]


class _Contest(msgspec.Struct):
    state: str
    entrants: list[str]
    stages: list[_Stage]
    games: list[_ContestGame]
    comparisons: list[_Comparison]
    ratings: list[_Rating] = []


def add_report(evidence: Evidence, content: bytes, owner: str, file: str = "") -> None:
    """Add what a report shows; ``owner`` is whose conformance test it is, empty where nobody is named.

    ``file`` is where people find the report.

    Raises `BadReport`.
    """
    try:
        top = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise BadReport(f"it is no JSON: {error}") from None
    keys = set(top) if isinstance(top, dict) else set()
    try:
        if "report" in keys and top["report"] == "check":
            _add_check(evidence, msgspec.convert(top, _Check), owner, file)
        elif keys >= {"setting", "players", "games"}:
            _add_match(evidence, msgspec.convert(top, _Match), file)
        elif keys >= {"entrants", "stages", "games"}:
            _add_contest(evidence, msgspec.convert(top, _Contest), file)
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
        evidence.builds[name] = check.build


def _add_match(evidence: Evidence, match: _Match, file: str) -> None:
    if match.status == STOPPED:
        raise BadReport("the match was stopped before its end")
    halves: dict[int, list[_MatchGame]] = {}
    for game in match.games:
        _add_game(evidence, game.players, game.points, file)
        halves.setdefault((game.number - 1) // 2, []).append(game)
    for player in match.players:
        evidence.add_name(player.name)
    for pair in halves.values():
        if len(pair) == 2:
            one, other = pair[0].players
            total = sum(game.points[game.players.index(one)] for game in pair)
            counts = [0] * OUTCOMES
            counts[round(2 * total)] = 1
            _add_pairs(evidence, one, other, tuple(counts))


def _add_contest(evidence: Evidence, contest: _Contest, file: str) -> None:
    if contest.state != "over":
        raise BadReport("the contest is not over")
    for entrant in contest.entrants:
        evidence.add_name(entrant)
    for game in contest.games:
        if game.counts and game.result in POINTS:
            _add_game(evidence, (game.first, game.second), POINTS[game.result], file)
    for comparison in contest.comparisons:
        if len(comparison.pairs) != OUTCOMES:
            raise BadReport(f"{comparison.one} and {comparison.other} are compared by {len(comparison.pairs)} numbers")
        _add_pairs(evidence, comparison.one, comparison.other, comparison.pairs)
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


def _add_game(evidence: Evidence, players: tuple[str, str], points: tuple[float, float], file: str) -> None:
    one, other = (evidence.add_name(name) for name in players)
    for met, got in (((one, other), points[0]), ((other, one), points[1])):
        evidence.games[met] += 1
        evidence.points[met] += got
        if file not in evidence.game_files[met]:
            evidence.game_files[met].append(file)


def _add_pairs(evidence: Evidence, one: str, other: str, counts: Counts) -> None:
    for met, seen in (((one, other), counts), ((other, one), counts[::-1])):
        key = evidence.add_name(met[0]), evidence.add_name(met[1])
        before = evidence.pairs.get(key, (0,) * OUTCOMES)
        evidence.pairs[key] = tuple(a + b for a, b in zip(before, seen, strict=True))
