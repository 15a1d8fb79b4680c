"""What evidence is worth by a rule, and the formats of grades (pure)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.commands import reports
from engine.statistics.elo import SCORES, Counts, elo_of, estimate
from engine.wire.words import number_of
from server.contest.report.files import table
from server.league.grading.evidence import Evidence
from server.league.grading.rule import (
    BadRule,
    Bound,
    Builds,
    Conformance,
    Criterion,
    Elo,
    Place,
    Rating,
    Rule,
    Score,
    label,
    player_key,
)

DECIMALS = 2
"""Of points: what a gradebook takes."""

TAIL = 0.025
"""On either side of a 95 % interval."""


NOTHING = "no report shows anything of this"
"""Why there are no points where nothing is known."""


class Measured(NamedTuple):
    """The number that a criterion looks at, and a sentence on where it comes from."""

    value: float
    why: str
    files: tuple[str, ...] = ()


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

    Raises `server.league.grading.rule.BadRule` for a criterion of which no report shows anything of anybody.
    """
    opponents = {player_key(one.against) for one in rule.criteria if isinstance(one, Score | Elo)}
    names = rule.students or tuple(name for key, name in sorted(evidence.names.items()) if key not in opponents)
    students = []
    measured = {name: [_measure(criterion, evidence, name.lower()) for criterion in rule.criteria] for name in names}
    for number, criterion in enumerate(rule.criteria):
        if all(found[number] is None for found in measured.values()):
            raise BadRule(f"points[{number + 1}] is for {label(criterion)}, of which no report shows anything")
    for name, found in measured.items():
        grades = tuple(_grade(*both, len(evidence.places)) for both in zip(rule.criteria, found, strict=True))
        students.append(Student(name, grades))
    return tuple(students)


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


def _grade(criterion: Criterion, measured: Measured | None, players: int) -> Grade:
    if measured is None:
        return Grade(0.0, criterion.most, NOTHING)
    none = criterion.none if criterion.none is not None else max(players, 2)
    part = (
        (measured.value - none) / (criterion.full - none) if criterion.full != none else float(measured.value <= none)
    )
    part = min(part, 1.0) if part > 0 else 0.0
    return Grade(round(criterion.most * part, DECIMALS), criterion.most, measured.why, measured.files)


def _measure(criterion: Criterion, evidence: Evidence, name: str) -> Measured | None:
    """Return the number of a player, by the key of his name; None where no report shows it."""
    tested = tuple(filter(None, [evidence.check_files.get(name)]))
    contest = tuple(filter(None, [evidence.contest_files.get(name)]))
    match criterion:
        case Builds():
            build = evidence.builds.get(name)
            if build is None:
                return None
            return Measured(float(build.is_built), build.why, tested)
        case Conformance():
            passed, tried = evidence.conformance.get(name, (0, 0))
            return Measured(passed / tried, f"{passed} of {tried} situations passed", tested) if tried else None
        case Score(against=against):
            met = name, player_key(against)
            games, points = evidence.games[met], evidence.points[met]
            files = tuple(filter(None, evidence.game_files.get(met, ())))
            why = f"{number_of(points, 'point')} in {number_of(games, 'game')}"
            return Measured(points / games, why, files) if games else None
        case Elo(against=against, bound=bound):
            met = name, player_key(against)
            counts = evidence.pairs.get(met, ())
            if not any(counts):
                return None
            found, low = estimate(counts), elo_low(counts)
            interval = f"+- {found.margin:.0f}" if math.isfinite(found.margin) else "with all pairs alike"
            why = f"Elo {found.elo:+.0f} {interval} from {number_of(sum(counts), 'pair')} of games, at least {low:+.0f}"
            files = tuple(filter(None, evidence.game_files.get(met, ())))
            return Measured(low if bound is Bound.LOW else found.elo, why, files)
        case Rating(bound=bound):
            rating = evidence.ratings.get(name)
            if rating is None:
                return None
            low = rating.elo if rating.low is None else rating.low
            why = f"rating {rating.elo:+.0f} from {number_of(rating.games, 'game')}, at least {low:+.0f}"
            return Measured(low if bound is Bound.LOW else rating.elo, why, contest)
        case Place():
            place = evidence.places.get(name)
            return Measured(place, f"place {place} of {len(evidence.places)}", contest) if place is not None else None


def as_text(rule: Rule, students: Sequence[Student]) -> list[str]:
    """Return a table for people, a line a student."""
    rows = [("student", *(label(one) for one in rule.criteria), f"total of {rule.most:g}")]
    rows += [(one.name, *(f"{grade.points:g}" for grade in one.grades), f"{one.total:g}") for one in students]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def as_csv(rule: Rule, students: Sequence[Student]) -> str:
    """Return a line a student: name, points of each criterion, their sum, and all points that there are."""
    columns = ("student", *(label(one) for one in rule.criteria), "total", "most")
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
                        {"for": label(criterion), **grade._asdict()}
                        for criterion, grade in zip(rule.criteria, one.grades, strict=True)
                    ],
                }
                for one in students
            ],
        }
    )
