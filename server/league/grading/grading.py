"""What evidence is worth by a rule, and the formats of grades (pure)."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.commands import reports
from engine.wire.words import aligned
from server.contest.report.files import table
from server.league.grading.evidence import Evidence
from server.league.grading.rule import BadRule, Criterion, Measured, Rule

DECIMALS = 2
"""Of points: what a gradebook takes."""

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

    Raises `server.league.grading.rule.BadRule` for a criterion of which no report shows anything of anybody.
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
