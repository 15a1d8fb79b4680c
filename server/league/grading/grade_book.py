"""The grades of a league: made by a rule from what it shows of everybody's bots, kept, and published or not.

A student is a person, and is graded by the best of the person's bots. Grades that were made stay as they are; authors
see those that an organiser has published.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.statistics.elo import TWO_SIDED_95, Rating, count_pairs
from engine.statistics.online import decayed
from engine.wire.words import number_of
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR, NotAllowed
from server.league.grading.evidence import BadReport, Build, Evidence, add_report
from server.league.grading.grading import NOTHING, BadRule, Grade, Rule, Student, grade_all, read
from server.league.ladder.store import LadderStore
from server.league.submissions.versions import CHECK_REPORT, Version, Versions
from server.ops.typed_json import decode

REPORT = "report.json"
"""Of the folder of a contest."""


class League(NamedTuple):
    """Where the evidence of a league is."""

    data: Path
    accounts: Accounts
    versions: Versions


def league_evidence(league: League, rule: Rule, bots: Sequence[str], contest: int) -> Evidence:
    """Return what is known of bots, as far as a rule asks for it.

    With a contest, 0 for none, ratings and places are those of the contest, else those of the ladder.

    Raises `BadReport`, `BadStore`, and OSError; for a thread.
    """
    evidence = Evidence()
    store = LadderStore(league.accounts)
    for bot in bots:
        version = graded_version(league.versions.of(bot))
        if version is not None:
            _add_version(evidence, league.versions, version)
        standing = store.standing(bot)
        if standing is not None:
            for opponent in rule.opponents:
                _add_ladder_games(evidence, league.accounts, bot, standing.version, opponent)
    if contest:
        _add_contest(evidence, league.data, contest)
    else:
        _add_ratings(evidence, store, {bot.lower() for bot in bots})
    return evidence


def graded_version(versions: Iterable[Version]) -> Version | None:
    """Return the version of a bot that is graded: the active one, else the newest; they come the newest first."""
    there = [version for version in versions if version.state != "deleted"]
    return next((version for version in there if version.state == "active"), there[0] if there else None)


def _add_version(evidence: Evidence, versions: Versions, version: Version) -> None:
    name, page = evidence.add_name(version.bot), f"/bots/{version.bot}/versions/{version.number}"
    has_passed = version.state in ("active", "retired")
    if version.command or has_passed:
        evidence.builds[name] = Build(True, f"version {version.number} was built")
    elif version.state == "refused":
        evidence.builds[name] = Build(False, f"version {version.number} was not built: {version.sentence}")
    else:  # it is under way
        return
    evidence.check_files[name] = page
    report = versions.folder(version) / CHECK_REPORT
    if report.is_file():
        add_report(evidence, report.read_bytes(), version.bot, page)
    elif has_passed:  # the log of an old version was removed
        evidence.conformance[name] = 1, 1
    elif not evidence.builds[name].is_built:
        evidence.conformance[name] = 0, 1


def _add_ladder_games(evidence: Evidence, accounts: Accounts, player: str, version: int, opponent: str) -> None:
    """Add the games of the ladder that a version has played against an opponent, and that rate them.

    Two games from one opening, with colours swapped, are a pair.
    """
    rows = accounts.rows(
        """SELECT variant, opening, first, second, score FROM ladder_games WHERE score IS NOT NULL AND number IN (
        SELECT number FROM ladder_games WHERE first = ?1 AND first_version = ?2 AND second = ?3
        UNION ALL SELECT number FROM ladder_games WHERE second = ?1 AND second_version = ?2 AND first = ?3)
        ORDER BY number""",
        player,
        version,
        opponent,
    )
    pairs: list[tuple[tuple[str, int, int], float]] = []
    seen: Counter[tuple[str, int, str]] = Counter()
    one, other = rows[0][2:4] if rows else ("", "")
    for variant, opening, first, second, score in rows:
        evidence.add_game((first, second), (score, 1 - score), f"/ladder/{player}")
        pairs.append(((variant, opening, seen[variant, opening, first]), score if first == one else 1 - score))
        seen[variant, opening, first] += 1
    if any(counts := count_pairs(pairs)):
        evidence.add_pairs(one, other, counts)


def _add_ratings(evidence: Evidence, store: LadderStore, bots: set[str]) -> None:
    """Add ratings of the ladder as of now, and places among those who have played."""
    now = time.time()
    played = [one for one in store.standings() if one.name.lower() in bots and one.rating.games]
    for place, one in enumerate(played, 1):
        name, rating = evidence.add_name(one.name), decayed(one.rating, now)
        evidence.places[name] = place
        low = rating.elo - TWO_SIDED_95 * rating.deviation
        evidence.ratings[name] = Rating(name=one.name, elo=rating.elo, low=low, games=rating.games)
        evidence.contest_files[name] = f"/ladder/{one.name}"


def _add_contest(evidence: Evidence, data: Path, contest: int) -> None:
    """Add the report of a contest; entrants that are versions of bots count as these."""
    try:
        with closing(Store(data / FILE)) as store:
            definition = store.definition(contest)
        content = (folder_of(data, contest) / REPORT).read_bytes()
    except (KeyError, FileNotFoundError):
        raise BadReport(f"there is no report of a contest {contest}") from None
    aliases: dict[str, str] = {}
    for entrant in definition.entrants:
        if entrant.version_of and entrant.version_of not in aliases.values():
            aliases[entrant.name.lower()] = entrant.version_of
    evidence.aliases = aliases
    try:
        add_report(evidence, content, "", f"/contest/{contest}")
    except BadReport as error:
        raise BadReport(f"{definition.name}: {error}") from None
    evidence.aliases = {}


MAX_RULE_BYTES = 64 * 1024


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
    students: tuple[Student, ...]
    is_published: bool

    @property
    def rule(self) -> Rule:
        """Return the rule."""
        return read(self.text)


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

    def shown_to(self, name: str) -> Grades | None:
        """Return the published grades of a person alone; None where there are none."""
        found = self._one("WHERE is_published")
        own = () if found is None else tuple(one for one in found.students if one.name.lower() == name.lower())
        return found._replace(students=own) if found is not None and own else None

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


def grade_people(rule: Rule, evidence: Evidence, bots: dict[str, tuple[str, ...]]) -> tuple[Student, ...]:
    """Return the grades of people by the best of their bots; raises `BadRule`. Pure."""
    names = tuple(bot for found in bots.values() for bot in found)
    graded = {one.name: one for one in grade_all(replace(rule, students=names), evidence)}
    return tuple(_best(rule, person, [graded[bot] for bot in found]) for person, found in bots.items())


def _best(rule: Rule, person: str, bots: Sequence[Student]) -> Student:
    if not bots:
        return Student(person, tuple(Grade(0.0, one.most, NOTHING) for one in rule.criteria))
    best = max(bots, key=lambda bot: bot.total)
    return Student(person, best.grades, best.name)


def _grades(number: int, date: str, who: str, text: str, contest: int, *rest: Any) -> Grades:
    found, is_published = rest
    students = decode(found, type=tuple[Student, ...])
    return Grades(number, datetime.fromisoformat(date), who, text, contest, students, bool(is_published))
