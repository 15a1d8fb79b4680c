"""The rule file: TOML in, a `Rule` out, or one sentence about the first thing that is wrong with it.

A rule is a list of criteria. Each measures one number of a player, and turns it into points: none at one number, all
at another, and in proportion between them.
"""

import tomllib
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec

from engine.wire.words import NAME_PATTERN, NAME_RULE
from server.config.declared import BadTable, Field, Form, Range, TomlTable, read_table, read_value

MOST = Range(0.001, 1_000_000, "points")
PART = Range(0, 1)
ELO = Range(-10_000, 10_000, "Elo")
PLACE = Range(1, 10_000)
NAMES = Form(NAME_PATTERN, f"a list of names, each of {NAME_RULE}")
OPPONENT = Form(f"{NAME_PATTERN}(:[0-9]+)?", "the name of a player, or a built-in bot as 'alphabeta:3'")


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


class Builds(_Part, frozen=True, kw_only=True, tag="builds"):
    """Whether the bot can be built from its source: 1 or 0."""


class Conformance(_Part, frozen=True, kw_only=True, tag="conformance"):
    """The part of the situations of ``arena-bot check`` that were passed, of those that could be tried."""


class Score(_Part, frozen=True, kw_only=True, tag="score"):
    """The part of the points in games against a player: 1 for a win, a half for a draw."""

    against: Annotated[str, OPPONENT]


class Elo(_Strength, frozen=True, kw_only=True, tag="elo"):
    """The difference in Elo to a player, from pairs of games."""

    against: Annotated[str, OPPONENT]


class Rating(_Strength, frozen=True, kw_only=True, tag="rating"):
    """The rating in a contest or on a ladder, in Elo."""


class Place(msgspec.Struct, frozen=True, kw_only=True, tag="place"):
    """The place in the table of a contest's last stage."""

    most: Annotated[float, MOST]
    full: Annotated[int, PLACE] = 1
    none: Annotated[int | None, PLACE] = None
    """The last place when left out."""


Criterion: TypeAlias = Builds | Conformance | Score | Elo | Rating | Place

KINDS: dict[str, type[Criterion]] = {
    "builds": Builds,
    "conformance": Conformance,
    "score": Score,
    "elo": Elo,
    "rating": Rating,
    "place": Place,
}
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
    if len(labels := [label(one) for one in criteria]) > len(set(labels)):
        raise BadRule(f"two of the [[points]] are for {next(one for one in labels if labels.count(one) > 1)}")
    return Rule(criteria=criteria, students=students)


def label(criterion: Criterion) -> str:
    """Return what a criterion is called in tables."""
    match criterion:
        case Builds():
            return "builds"
        case Conformance():
            return "conformance"
        case Score(against=against):
            return f"score against {against}"
        case Elo(against=against):
            return f"Elo against {against}"
        case Rating():
            return "rating"
        case Place():
            return "place"


def player_key(against: str) -> str:
    """Return the key of an opponent in evidence; a built-in bot plays under its name with a hyphen."""
    return against.lower().replace(":", "-")


def _criterion(table: TomlTable) -> Criterion:
    found = read_table(table, KINDS[read_value(table, FOR)])
    if found.full == found.none:
        raise table.wrong("full", "another number than none, at which there are no points")
    return found
