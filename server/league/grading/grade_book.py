"""The grades of a league: made by a rule from the evidence of everybody's bots, stored, and published or not.

A student is a person, and is graded by the best of the person's bots. Stored grades do not change; authors see the
grades that an organiser has published.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.statistics.elo import TWO_SIDED_95, count_pairs
from engine.statistics.online import decayed
from engine.wire.words import number_of
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league.accounts import AUTHOR, Accounts, Person
from server.league.grading.grading import (
    NOTHING,
    BadReport,
    BadRule,
    Evidence,
    Grade,
    PointsRule,
    Student,
    add_report,
    grade_all,
    read,
)
from server.league.ladder.store import LadderStore
from server.league.submissions.versions import CHECK_REPORT, PASSED, Version, Versions
from server.ops.typed_json import decode

REPORT = "report.json"
"""File in the folder of a contest."""

MAX_RULE_BYTES = 64 * 1024

DEFAULT_RULE = """[[points]]
for = "builds"
most = 10

[[points]]
for = "conformance"
most = 30
none = 0.5

# [[points]] # games of the ladder or of a contest against a level
# for = "score"
# against = "alphabeta:1"
# most = 60
# full = 0.9
"""
"""The rule that organisers begin from."""


class Grades(NamedTuple):
    """The grades of everybody by a rule."""

    number: int
    date: datetime
    text: str
    """The rule, as TOML."""
    contest: int
    """The contest whose ratings and places count; 0: those of the ladder."""
    students: tuple[Student, ...]
    is_published: bool

    @property
    def rule(self) -> PointsRule:
        """Return the rule."""
        return read(self.text)


class GradeBook:
    """The grades of a data directory. Its methods are for threads; all raise `BadStore`."""

    def __init__(self, data: Path, accounts: Accounts, versions: Versions) -> None:
        """Take the sources of the evidence."""
        self._data = data
        self._accounts = accounts
        self._versions = versions
        self._ladder = LadderStore(accounts, data)

    def grade(self, text: str, contest: int, by: str) -> None:
        """Grade everybody by a rule, and store the grades; raises `BadRule`, `BadReport` and OSError."""
        if len(text.encode()) > MAX_RULE_BYTES:
            raise BadRule(f"the rule has more than {MAX_RULE_BYTES} bytes")
        rule = read(text)
        bots = {one.name: [bot.name for bot in self._accounts.bots(one)] for one in self._people(rule)}
        if not (every := tuple(bot for found in bots.values() for bot in found)):
            raise BadRule("nobody who is to be graded has a bot yet")
        found = grade_all(msgspec.structs.replace(rule, students=every), self.evidence(rule, every, contest))
        graded = {one.name: one for one in found}
        students = [_best(rule, person, [graded[bot] for bot in own]) for person, own in bots.items()]
        with self._accounts.change(by, f"graded {number_of(len(students), 'student')}") as database:
            database.execute(
                """INSERT INTO grades (date, who, rule, contest, found, is_published) VALUES (?, ?, ?, ?, ?, 0)""",
                (datetime.now(UTC).isoformat(), by, text, contest, msgspec.json.encode(students).decode()),
            )

    def publish(self, number: int, by: str) -> None:
        """Show the grades of a number to students, and no others; 0 for none."""
        with self._accounts.change(by, "published the grades" if number else "withdrew the grades") as database:
            database.execute("UPDATE grades SET is_published = (id = ?)", (number,))

    def last(self) -> Grades | None:
        """Return the last grades."""
        return self._one("ORDER BY id DESC LIMIT 1")

    def shown_to(self, name: str) -> Grades | None:
        """Return the published grades of a person alone; None where there are none."""
        found = self._one("WHERE is_published")
        own = () if found is None else tuple(one for one in found.students if one.name.lower() == name.lower())
        return found._replace(students=own) if found is not None and own else None

    def _people(self, rule: PointsRule) -> list[Person]:
        """Return the students; raises `BadRule` for a student who has no account."""
        if not rule.students:
            return [person for person in self._accounts.people() if person.role == AUTHOR and person.is_open]
        people = {name: self._accounts.person(name) for name in rule.students}
        for name, person in people.items():
            if person is None:
                raise BadRule(f"students has {name!r}, and nobody here is called so")
        return [person for person in people.values() if person is not None]

    def _one(self, rest: str) -> Grades | None:
        rows = self._accounts.rows(f"SELECT id, date, rule, contest, found, is_published FROM grades {rest}")
        for number, date, text, contest, found, is_published in rows:
            students = decode(found, type=tuple[Student, ...])
            return Grades(number, datetime.fromisoformat(date), text, contest, students, bool(is_published))
        return None

    # evidence

    def evidence(self, rule: PointsRule, bots: Sequence[str], contest: int) -> Evidence:
        """Return the evidence of bots for a rule.

        With a contest, 0 for none, ratings and places are those of the contest, else those of the ladder. Raises
        `BadReport`, `BadStore`, and OSError.
        """
        evidence = Evidence()
        for bot in bots:
            if (version := graded_version(self._versions.of(bot))) is not None:
                self._add_version(evidence, version)
            if (standing := self._ladder.standing(bot)) is not None:
                for opponent in rule.opponents:
                    self._add_ladder_games(evidence, bot, standing.version, opponent)
        if contest:
            self._add_contest(evidence, contest)
        else:
            self._add_ratings(evidence, {bot.lower() for bot in bots})
        return evidence

    def _add_version(self, evidence: Evidence, version: Version) -> None:
        bot, passed, number = version.bot, version.state in PASSED, version.number
        is_built = passed or bool(version.command)
        if not is_built and version.is_under_way:
            return
        why = f"version {number} was {'built' if is_built else f'not built: {version.sentence}'}"
        evidence.add("builds", bot, float(is_built), why, version.page)
        report = self._versions.folder(version) / CHECK_REPORT
        if report.is_file():
            add_report(evidence, report.read_bytes(), bot, version.page)

    def _add_ladder_games(self, evidence: Evidence, player: str, version: int, opponent: str) -> None:
        """Add the rated games of the ladder that a version has played against an opponent.

        Two games from one opening, with colours swapped, are a pair.
        """
        pairs: list[tuple[tuple[str, int, int], float]] = []
        seen: Counter[tuple[str, int, bool]] = Counter()
        for game in self._ladder.rated_games(player, version, opponent):
            fixture, scores = game.result.fixture, (game.result.points(0), game.result.points(1))
            evidence.add_game(fixture.players, scores, f"/ladder/{player}")
            begins = fixture.players[0].lower() == player.lower()
            key = (game.variant, fixture.opening, begins)
            pairs.append(((game.variant, fixture.opening, seen[key]), scores[not begins]))
            seen[key] += 1
        evidence.add_pairs(player, opponent, count_pairs(pairs))

    def _add_ratings(self, evidence: Evidence, bots: set[str]) -> None:
        """Add ratings of the ladder as of now, and places among the bots that have played."""
        now = time.time()
        played = [one for one in self._ladder.standings() if one.name.lower() in bots and one.rating.games]
        for place, one in enumerate(played, 1):
            rating, page = decayed(one.rating, now), f"/ladder/{one.name}"
            evidence.add_place(one.name, place, len(played), page)
            evidence.add_rating(one.name, rating.elo, rating.elo - TWO_SIDED_95 * rating.deviation, rating.games, page)

    def _add_contest(self, evidence: Evidence, contest: int) -> None:
        """Add the report of a contest; entrants that are versions of bots count as these bots."""
        try:
            with closing(Store(self._data / FILE)) as store:
                definition = store.definition(contest)
            content = (folder_of(self._data, contest) / REPORT).read_bytes()
        except (KeyError, FileNotFoundError):
            raise BadReport(f"there is no report of a contest {contest}") from None
        # of two entrants of one bot, the first one counts
        entrants = [entrant for entrant in reversed(definition.entrants) if entrant.version_of]
        names = {entrant.version_of: entrant.name.lower() for entrant in entrants}
        evidence.aliases = {name: bot for bot, name in names.items()}
        add_report(evidence, content, "", f"/contest/{contest}")


def graded_version(versions: Iterable[Version]) -> Version | None:
    """Return the version of a bot that is graded: the active one, else the newest; they come the newest first."""
    there = [version for version in versions if version.state != "deleted"]
    return next((version for version in there if version.state == "active"), there[0] if there else None)


def _best(rule: PointsRule, person: str, bots: Sequence[Student]) -> Student:
    if not bots:
        return Student(person, tuple(Grade(0.0, one.most, NOTHING) for one in rule.criteria))
    best = max(bots, key=lambda bot: bot.total)
    return Student(person, best.grades, best.name)
