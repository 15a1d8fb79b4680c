"""Grades as a table of text, CSV, JSON, JUnit's XML, Gradescope's points and a page (pure)."""

from collections.abc import Callable, Sequence
from importlib.resources import files

from engine.commands import reports
from engine.commands.reports import Case, Points, Suite
from engine.wire.words import number_of
from server.contest.report.files import table
from server.league.grading.grading import Student
from server.league.grading.rule import Rule, label


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


def as_junit(rule: Rule, students: Sequence[Student]) -> str:
    """Return a suite a student, with a test for each criterion, which fails where it does not give all its points."""
    return reports.junit(
        [
            Suite(
                one.name,
                [
                    Case(
                        label(criterion),
                        "passed" if grade.points >= grade.most else "failed",
                        f"{grade.points:g} of {number_of(grade.most, 'point')}: {grade.why}"
                        if grade.points < grade.most
                        else "",
                    )
                    for criterion, grade in zip(rule.criteria, one.grades, strict=True)
                ],
            )
            for one in students
        ]
    )


def as_gradescope(rule: Rule, student: Student) -> str:
    """Return the grades of one student as Gradescope's results.json."""
    points = [
        Points(label(criterion), grade.points, grade.most, grade.why)
        for criterion, grade in zip(rule.criteria, student.grades, strict=True)
    ]
    return reports.gradescope(points, f"{student.name}: {student.total:g} of {number_of(rule.most, 'point')}")


def as_html(rule: Rule, students: Sequence[Student], link: Callable[[str], str]) -> str:
    """Return a page of one file, without scripts; ``link`` returns the address of a report."""
    from jinja2 import Environment, StrictUndefined  # no other format needs it

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    template = (files("server.league.grading") / "grades.html.jinja").read_text(encoding="utf-8")
    labels = [label(criterion) for criterion in rule.criteria]
    return environment.from_string(template).render(labels=labels, most=rule.most, students=students, link=link)
