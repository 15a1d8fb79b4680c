"""The grades of a league: made by a rule from what it shows of everybody's bots, kept, and published or not.

A student is a person, and is graded by the best of the person's bots. Grades that were made stay as they are; authors
see those that an organiser has published.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.wire.words import number_of
from server.league.accounts.people import AUTHOR, NotAllowed
from server.league.grading.evidence import Evidence
from server.league.grading.grading import NOTHING, Grade, Student, grade_all
from server.league.grading.league_evidence import League, league_evidence
from server.league.grading.rule import BadRule, Rule, label, read
from server.ops.typed_json import decode

MAX_RULE_BYTES = 64 * 1024


class GradedStudent(msgspec.Struct, frozen=True):
    """A student with a grade for each criterion, and the bot that has earned them."""

    name: str
    bot: str
    """Empty where there is none."""
    grades: tuple[Grade, ...]

    @property
    def student(self) -> Student:
        """Return the grades as all formats take them."""
        return Student(self.name, self.grades)


class Grades(NamedTuple):
    """The grades of everybody by a rule."""

    number: int
    date: datetime
    who: str
    """Who has made them."""
    text: str
    """The rule, as TOML."""
    contest: int
    """The contest whose ratings and places count; 0: those of the ladder."""
    students: tuple[GradedStudent, ...]
    is_published: bool

    @property
    def rule(self) -> Rule:
        """Return the rule."""
        return read(self.text)

    def of(self, name: str) -> GradedStudent | None:
        """Return the grades of a student."""
        return next((one for one in self.students if one.name.lower() == name.lower()), None)


class OwnGrades(NamedTuple):
    """What a student sees."""

    date: datetime
    labels: tuple[str, ...]
    """Of the criteria."""
    most: float
    own: GradedStudent


class GradeBook:
    """The grades of a league. Its methods are for threads; all raise `BadStore`."""

    def __init__(self, league: League, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Take where the evidence is."""
        self._league = league
        self._accounts = league.accounts
        self._now = now

    def grade(self, text: str, contest: int, by: str) -> None:
        """Grade everybody by a rule, and keep the grades; raises `BadRule`, `BadReport` and OSError."""
        if len(text.encode()) > MAX_RULE_BYTES:
            raise BadRule(f"the rule has more than {MAX_RULE_BYTES} bytes")
        rule = read(text)
        bots = self._bots(rule)
        known = [bot for found in bots.values() for bot in found]
        if not known:
            raise BadRule("nobody who is to be graded has a bot yet")
        students = grade_people(rule, league_evidence(self._league, rule, known, contest), bots)
        found = msgspec.json.encode(students).decode()
        with self._accounts.change() as database:
            database.execute(
                """INSERT INTO grades (date, who, rule, contest, found, is_published) VALUES (?, ?, ?, ?, ?, 0)""",
                (self._now().isoformat(), by, text, contest, found),
            )
            self._accounts.log(database, by, f"graded {number_of(len(students), 'student')}")

    def publish(self, number: int, by: str) -> None:
        """Show their grades to students, and no earlier ones; raises `NotAllowed`."""
        with self._accounts.change() as database:
            if not database.execute("UPDATE grades SET is_published = 1 WHERE id = ?", (number,)).rowcount:
                raise NotAllowed(f"there are no grades with the number {number}")
            database.execute("UPDATE grades SET is_published = 0 WHERE id != ?", (number,))
            self._accounts.log(database, by, "published the grades")

    def withdraw(self, by: str) -> None:
        """Show no grades to students any more."""
        with self._accounts.change() as database:
            if database.execute("UPDATE grades SET is_published = 0 WHERE is_published").rowcount:
                self._accounts.log(database, by, "withdrew the grades that were published")

    def last(self) -> Grades | None:
        """Return the grades that were made last."""
        return self._one("ORDER BY id DESC LIMIT 1")

    def shown_to(self, name: str) -> OwnGrades | None:
        """Return the published grades of a person; None where there are none."""
        found = self._one("WHERE is_published")
        own = None if found is None else found.of(name)
        if found is None or own is None:
            return None
        return OwnGrades(found.date, tuple(label(one) for one in found.rule.criteria), found.rule.most, own)

    def _bots(self, rule: Rule) -> dict[str, tuple[str, ...]]:
        """Return the bots of each student; raises `BadRule` for a student who has no account."""
        people = [self._accounts.person(name) for name in rule.students]
        if missing := [name for name, person in zip(rule.students, people, strict=True) if person is None]:
            raise BadRule(f"students has {missing[0]!r}, and nobody here is called so")
        if not people:
            people = [person for person in self._accounts.people() if person.role == AUTHOR and person.is_open]
        return {one.name: tuple(bot.name for bot in self._accounts.bots(one)) for one in people if one is not None}

    def _one(self, rest: str) -> Grades | None:
        rows = self._accounts.rows(f"SELECT id, date, who, rule, contest, found, is_published FROM grades {rest}")
        return _grades(*rows[0]) if rows else None


def grade_people(rule: Rule, evidence: Evidence, bots: dict[str, tuple[str, ...]]) -> tuple[GradedStudent, ...]:
    """Return the grades of people by the best of their bots; raises `BadRule`. Pure."""
    names = tuple(bot for found in bots.values() for bot in found)
    graded = {one.name: one for one in grade_all(replace(rule, students=names), evidence)}
    return tuple(_best(rule, person, [graded[bot] for bot in found]) for person, found in bots.items())


def _best(rule: Rule, person: str, bots: Sequence[Student]) -> GradedStudent:
    if not bots:
        return GradedStudent(person, "", tuple(Grade(0.0, one.most, NOTHING) for one in rule.criteria))
    best = max(bots, key=lambda bot: bot.total)
    return GradedStudent(person, best.name, best.grades)


def _grades(number: int, date: str, who: str, text: str, contest: int, *rest: Any) -> Grades:
    found, is_published = rest
    students = decode(found, type=tuple[GradedStudent, ...])
    return Grades(number, datetime.fromisoformat(date), who, text, contest, students, bool(is_published))
