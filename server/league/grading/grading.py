"""Grades by a rule: TOML in, a `Rule` out, or one sentence about the first thing that is wrong with the file.

A rule is a list of criteria. Each measures one number of a player, and turns it into points: none at one number, all
at another, and in proportion between them.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, ClassVar, NamedTuple, TypeAlias, get_args

import msgspec

from engine.commands import reports
from engine.statistics.elo import SCORES, Counts, elo_of, estimate
from engine.wire.words import NAME_PATTERN, NAME_RULE, aligned, number_of
from server.config.declared import BadTable, Field, Form, Range, TomlTable, read_table, read_value
from server.contest.report.files import table
from server.league.grading.evidence import Evidence

MOST = Range(0.001, 1_000_000, "points")
PART = Range(0, 1)
ELO = Range(-10_000, 10_000, "Elo")
PLACE = Range(1, 10_000)
NAMES = Form(NAME_PATTERN, f"a list of names, each of {NAME_RULE}")
OPPONENT = Form(f"{NAME_PATTERN}(:[0-9]+)?", "the name of a player, or a built-in bot as 'alphabeta:3'")


TAIL = 0.025
"""On either side of a 95 % interval."""


class BadRule(BadTable):
    """A rule by which nothing can be graded."""


class Bound(StrEnum):
    """Which end of the 95 % interval of a difference in Elo counts."""

    LOW = "low"
    ESTIMATE = "estimate"


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured as a part of something, 0 to 1."""

    most: Annotated[float, MOST]
    full: Annotated[float, PART] = 1.0
    none: Annotated[float, PART] = 0.0


class _Strength(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured in Elo, with an interval."""

    most: Annotated[float, MOST]
    full: Annotated[float, ELO]
    none: Annotated[float, ELO]
    bound: Bound = Bound.LOW


class Measured(NamedTuple):
    """The number that a criterion looks at, and a sentence on where it comes from."""

    value: float
    why: str
    files: tuple[str, ...] = ()


class Builds(_Part, frozen=True, kw_only=True, tag="builds"):
    """Whether the bot can be built from its source: 1 or 0."""

    label: ClassVar[str] = "builds"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        build = evidence.builds.get(name)
        return build and Measured(float(build.is_built), build.why, _files(evidence.check_files, name))


class Conformance(_Part, frozen=True, kw_only=True, tag="conformance"):
    """The part of the situations of ``arena-bot check`` that were passed, of those that could be tried."""

    label: ClassVar[str] = "conformance"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        passed, tried = evidence.conformance.get(name, (0, 0))
        why = f"{passed} of {tried} situations passed"
        return Measured(passed / tried, why, _files(evidence.check_files, name)) if tried else None


class Score(_Part, frozen=True, kw_only=True, tag="score"):
    """The part of the points in games against a player: 1 for a win, a half for a draw."""

    against: Annotated[str, OPPONENT]

    @property
    def label(self) -> str:
        """The heading in tables."""
        return f"score against {self.against}"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        met = name, player_key(self.against)
        games, points = evidence.games[met], evidence.points[met]
        why = f"{number_of(points, 'point')} in {number_of(games, 'game')}"
        return Measured(points / games, why, tuple(filter(None, evidence.game_files[met]))) if games else None


class Elo(_Strength, frozen=True, kw_only=True, tag="elo"):
    """The difference in Elo to a player, from pairs of games."""

    against: Annotated[str, OPPONENT]

    @property
    def label(self) -> str:
        """The heading in tables."""
        return f"Elo against {self.against}"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        met = name, player_key(self.against)
        counts = evidence.pairs.get(met, ())
        if not any(counts):
            return None
        found, low = estimate(counts), elo_low(counts)
        interval = f"+- {found.margin:.0f}" if math.isfinite(found.margin) else "with all pairs alike"
        why = f"Elo {found.elo:+.0f} {interval} from {number_of(sum(counts), 'pair')} of games, at least {low:+.0f}"
        value = low if self.bound is Bound.LOW else found.elo
        return Measured(value, why, tuple(filter(None, evidence.game_files[met])))


class Rating(_Strength, frozen=True, kw_only=True, tag="rating"):
    """The rating in a contest or on a ladder, in Elo."""

    label: ClassVar[str] = "rating"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        rating = evidence.ratings.get(name)
        if rating is None:
            return None
        low = rating.elo if rating.low is None else rating.low
        why = f"rating {rating.elo:+.0f} from {number_of(rating.games, 'game')}, at least {low:+.0f}"
        return Measured(low if self.bound is Bound.LOW else rating.elo, why, _files(evidence.contest_files, name))


class Place(msgspec.Struct, frozen=True, kw_only=True, tag="place"):
    """The place in the table of a contest's last stage."""

    most: Annotated[float, MOST]
    full: Annotated[int, PLACE] = 1
    none: Annotated[int | None, PLACE] = None
    """The last place when left out."""

    label: ClassVar[str] = "place"

    def measure(self, evidence: Evidence, name: str) -> Measured | None:
        """Return the number of a player, by the key of its name; None where no report shows it."""
        place = evidence.places.get(name)
        why = f"place {place} of {len(evidence.places)}"
        return Measured(place, why, _files(evidence.contest_files, name)) if place is not None else None


Criterion: TypeAlias = Builds | Conformance | Score | Elo | Rating | Place

KINDS: dict[str, type[Criterion]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Criterion)}
"""By the word behind ``for``."""

FOR = Field("for", "for", str, Form.one_of(KINDS), required=True)
STUDENTS = Field("students", "students", tuple[str, ...], NAMES)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """How points are given."""

    criteria: tuple[Criterion, ...]
    students: tuple[str, ...]
    """Who is graded; empty for everybody of whom there is a report, but opponents of criteria."""

    @property
    def most(self) -> float:
        """The sum of all points."""
        return sum(criterion.most for criterion in self.criteria)

    @property
    def opponents(self) -> set[str]:
        """The keys of the players that criteria name."""
        return {player_key(one.against) for one in self.criteria if isinstance(one, Score | Elo)}


def read(text: str) -> Rule:
    """Read a rule file; raises `BadRule`."""
    try:
        file = TomlTable(tomllib.loads(text), "", "a rule file", BadRule)
    except tomllib.TOMLDecodeError as error:
        raise BadRule(f"this is no TOML: {error}") from None
    students = read_value(file, STUDENTS) if file.has("students") else ()
    tables = file.tables("points", "one [[points]] or more, each with for and most")
    criteria = tuple(_criterion(table) for table in tables)
    file.finish()
    if len({name.lower() for name in students}) < len(students):
        raise BadRule("students names somebody twice")
    if len(labels := [one.label for one in criteria]) > len(set(labels)):
        raise BadRule(f"two of the [[points]] are for {next(one for one in labels if labels.count(one) > 1)}")
    return Rule(criteria=criteria, students=students)


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


def player_key(against: str) -> str:
    """Return the key of an opponent in evidence; a built-in bot plays under its name with a hyphen."""
    return against.lower().replace(":", "-")


def _files(files: Mapping[str, str], name: str) -> tuple[str, ...]:
    found = files.get(name)
    return (found,) if found else ()


def _criterion(table: TomlTable) -> Criterion:
    found = read_table(table, KINDS[read_value(table, FOR)])
    if found.full == found.none:
        raise table.wrong("full", "another number than none, at which there are no points")
    return found


DECIMALS = 2
"""Decimals of points, as gradebooks take them."""

NOTHING = "no report shows anything of this"
"""Why there are no points where nothing is known."""


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


def grade_all(rule: Rule, evidence: Evidence) -> tuple[Student, ...]:
    """Return the grades of everybody who is to be graded, by name, or in the order of the rule's students.

    Raises `server.league.grading.grading.BadRule` for a criterion of which no report shows anything of anybody.
    """
    others = (name for key, name in sorted(evidence.names.items()) if key not in rule.opponents)
    names = rule.students or tuple(others)
    students = []
    measured = {name: [criterion.measure(evidence, name.lower()) for criterion in rule.criteria] for name in names}
    for number, criterion in enumerate(rule.criteria):
        if all(found[number] is None for found in measured.values()):
            raise BadRule(f"points[{number + 1}] is for {criterion.label}, of which no report shows anything")
    for name, found in measured.items():
        grades = tuple(_grade(*both, len(evidence.places)) for both in zip(rule.criteria, found, strict=True))
        students.append(Student(name, grades))
    return tuple(students)


def _grade(criterion: Criterion, measured: Measured | None, players: int) -> Grade:
    if measured is None:
        return Grade(0.0, criterion.most, NOTHING)
    none = criterion.none if criterion.none is not None else max(players, 2)
    part = (
        (measured.value - none) / (criterion.full - none) if criterion.full != none else float(measured.value <= none)
    )
    part = min(part, 1.0) if part > 0 else 0.0
    return Grade(round(criterion.most * part, DECIMALS), criterion.most, measured.why, measured.files)


def as_text(rule: Rule, students: Sequence[Student]) -> list[str]:
    """Return a table for people, a line a student."""
    rows = [("student", *(one.label for one in rule.criteria), f"total of {rule.most:g}")]
    rows += [(one.name, *(f"{grade.points:g}" for grade in one.grades), f"{one.total:g}") for one in students]
    return aligned(rows)


def as_csv(rule: Rule, students: Sequence[Student]) -> str:
    """Return a line a student: name, points of each criterion, their sum, and all points that there are."""
    columns = ("student", *(one.label for one in rule.criteria), "total", "most")
    rows = [(one.name, *(grade.points for grade in one.grades), one.total, rule.most) for one in students]
    return table(columns, rows)


def as_json(rule: Rule, students: Sequence[Student]) -> str:
    """Return all grades, each with why it is so."""
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
