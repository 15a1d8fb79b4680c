"""Grades by a rule: reports become numbers of players, and a rule in TOML turns numbers into points.

Reports are the JSON files of ``arena-bot check`` and ``arena-bot match``, and the ``report.json`` of contests. Names of
players are the same in upper and lower case, as on the server.

A rule is a list of criteria. Each measures one number of a player, and turns it into points: none at one number, all
at another, and in proportion between them.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import msgspec

from engine.commands import reports
from engine.statistics.elo import OUTCOMES, SCORES, Counts, count_pairs, elo_of, estimate
from engine.wire.words import NAME_PATTERN, NAME_RULE, aligned, number_of
from server.config.declared import BadTable, Field, Key, Range, TextForm, TomlTable, read_table, read_toml, read_value
from server.contest.report.files import table
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
        takes = "grade takes the folder of a contest, its report.json, or a file that --json has written"
        raise BadReport(f"it is no JSON: {error}; {takes}") from None
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
    if tried := check.passed + check.failed:
        evidence.add("conformance", owner, check.passed / tried, f"{check.passed} of {tried} situations passed", file)
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


MOST = Range(0.001, 1_000_000, "points")
NUMBER = Range(-10_000, 10_000)
NAMES = TextForm(NAME_PATTERN, f"a list of names, each of {NAME_RULE}")
OPPONENT = TextForm(f"{NAME_PATTERN}(:[0-9]+)?", "the name of a player, or a built-in bot as 'alphabeta:3'")
STUDENTS = Field("students", "students", tuple[str, ...], NAMES)

TAIL = 0.025
"""On either side of a 95 % interval."""

DECIMALS = 2
"""Decimals of points, as gradebooks take them."""

NOTHING = "no report shows anything of this"
"""The reason for no points where nothing is known."""


class BadRule(BadTable):
    """A rule by which nothing can be graded."""


SCALES: dict[str, tuple[float | None, float | None]] = {
    "builds": (1, 0),
    "conformance": (1, 0),
    "score": (1, 0),
    "elo": (None, None),
    "rating": (None, None),
    "place": (1, math.inf),
}
"""The criteria, with the numbers for all points and for none unless the rule gives others; None: it has to.

No points are given for the last place.
"""

AGAINST = ("score", "elo")
"""Criteria that look at the games against a player."""


class Criterion(msgspec.Struct, frozen=True, kw_only=True):
    """A number that is measured, and its points."""

    kind: Annotated[str, TextForm.one_of(SCALES), Key("for")]
    most: Annotated[float, MOST]
    full: Annotated[float | None, NUMBER] = None
    none: Annotated[float | None, NUMBER] = None
    against: Annotated[str, OPPONENT] = ""

    @property
    def label(self) -> str:
        """The heading in tables."""
        return f"{'Elo' if self.kind == 'elo' else self.kind} against {self.against}" if self.against else self.kind

    @property
    def opponent(self) -> str:
        """The key of the opponent in evidence; a built-in bot plays under its name with a hyphen."""
        return self.against.lower().replace(":", "-")

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        if self.kind not in AGAINST:
            return evidence.measured.get((self.kind, name))
        met = evidence.meetings.get((name, self.opponent), Meeting())
        if self.kind == "score":
            why = f"{number_of(met.points, 'point')} in {number_of(met.games, 'game')}"
            return Measured(met.points / met.games, why, tuple(met.files)) if met.games else None
        if not any(met.pairs):
            return None
        found, low = estimate(met.pairs), elo_low(met.pairs)
        interval = f"+- {found.margin:.0f}" if math.isfinite(found.margin) else "with all pairs alike"
        why = f"Elo {found.elo:+.0f} {interval} from {number_of(sum(met.pairs), 'pair')} of games, at least {low:+.0f}"
        return Measured(low, why, tuple(met.files))

    def grade(self, evidence: Evidence, name: str) -> "Grade":
        """Return the points of a player, by the key of its name."""
        if (measured := self.measure(evidence, name)) is None:
            return Grade(0.0, self.most, NOTHING)
        assert self.full is not None and self.none is not None
        none = max(evidence.places, 2) if math.isinf(self.none) else self.none
        reach = self.full - none
        part = (measured.value - none) / reach if reach else float(measured.value <= none)
        part = min(part, 1.0) if part > 0 else 0.0
        return Grade(round(self.most * part, DECIMALS), self.most, measured.why, measured.files)


class PointsRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule for points."""

    criteria: tuple[Criterion, ...]
    students: tuple[str, ...]
    """Empty for everybody in the reports, but opponents of criteria."""

    @property
    def most(self) -> float:
        """The sum of all points."""
        return sum(criterion.most for criterion in self.criteria)

    @property
    def opponents(self) -> set[str]:
        """The keys of the players that criteria name."""
        return {one.opponent for one in self.criteria if one.against}


def read(text: str) -> PointsRule:
    """Read a rule file; raises `BadRule`."""
    file = read_toml(text, "a rule file", BadRule)
    file.expect(("students", "points"))
    students = read_value(file, STUDENTS) if file.has("students") else ()
    tables = file.tables("points", "one [[points]] or more, each with for and most")
    criteria = tuple(_criterion(table) for table in tables)
    file.finish()
    return PointsRule(criteria=criteria, students=students)


def _criterion(table: TomlTable) -> Criterion:
    found = read_table(table, Criterion)
    if bool(found.against) != (found.kind in AGAINST):
        raise table.wrong("against", "left out" if found.against else OPPONENT.right)
    full, none = SCALES[found.kind]
    full = full if found.full is None else found.full
    none = none if found.none is None else found.none
    for key, value in (("full", full), ("none", none)):
        if value is None:
            raise table.wrong(key, NUMBER.right(float))
    if full == none:
        raise table.wrong("full", "another number than none, at which there are no points")
    return msgspec.structs.replace(found, full=full, none=none)


def elo_low(counts: Counts) -> float:
    """Return the lower end of the 95 % interval of Elo that at least one pair of games gives.

    Where all pairs have ended alike, the pairs themselves show no variance. Then at most the part 1 - 0.025^(1/n) of
    pairs ends in another way, n being their number (Clopper and Pearson, 1934), and these are taken as lost.
    """
    pairs = sum(counts)
    if max(counts) == pairs:
        return elo_of(SCORES[counts.index(pairs)] * TAIL ** (1 / pairs))
    found = estimate(counts)
    return found.elo - found.margin


class Grade(NamedTuple):
    """The points of a student by one criterion, of at most ``most``, and why."""

    points: float
    most: float
    why: str
    evidence: tuple[str, ...] = ()
    """The reports that show it."""


class Student(NamedTuple):
    """A student with a grade for each criterion of the rule, in its order."""

    name: str
    grades: tuple[Grade, ...]
    bot: str = ""
    """The bot of a person that has earned the grades; empty where there is none."""

    @property
    def total(self) -> float:
        """The sum of all points."""
        return round(sum(grade.points for grade in self.grades), DECIMALS)


def grade_all(rule: PointsRule, evidence: Evidence) -> tuple[Student, ...]:
    """Return the grades of all students, by name, or in the order of the rule.

    Raises `BadRule` for a criterion without evidence of anybody.
    """
    names = rule.students or tuple((name for key, name in sorted(evidence.names.items()) if key not in rule.opponents))
    students = tuple(
        Student(name, tuple(criterion.grade(evidence, name.lower()) for criterion in rule.criteria)) for name in names
    )
    for number, criterion in enumerate(rule.criteria):
        if all(one.grades[number].why == NOTHING for one in students):
            raise BadRule(f"points[{number + 1}] is for {criterion.label}, but no report has a result of it")
    return students


def as_text(rule: PointsRule, students: Sequence[Student]) -> list[str]:
    """Return a table for people, a line a student."""
    rows = [("student", *(one.label for one in rule.criteria), f"total of {rule.most:g}")]
    rows += [(one.name, *(f"{grade.points:g}" for grade in one.grades), f"{one.total:g}") for one in students]
    return aligned(rows)


def as_csv(rule: PointsRule, students: Sequence[Student]) -> str:
    """Return a line a student: name, points of each criterion, their sum, and the most points."""
    columns = ("student", *(one.label for one in rule.criteria), "total", "most")
    rows = [(one.name, *(grade.points for grade in one.grades), one.total, rule.most) for one in students]
    return table(columns, rows)


def as_json(rule: PointsRule, students: Sequence[Student]) -> str:
    """Return all grades with their reasons."""
    return reports.as_json(
        {
            "report": "grades",
            "most": rule.most,
            "students": [
                {
                    "name": one.name,
                    "total": one.total,
                    "grades": [
                        {"for": criterion.label, **grade._asdict()}
                        for criterion, grade in zip(rule.criteria, one.grades, strict=True)
                    ],
                }
                for one in students
            ],
        }
    )
