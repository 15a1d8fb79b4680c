"""The fields of the form: each is called as the place of its value in a contest file, as in ``stages.1.rounds``. Pure.

Where a form and a file differ: times are in seconds, the deadline is in UTC without saying so, ``openings`` holds which
kind of them is meant, and each entrant is a field of its own, whose name begins with one of `KINDS`.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias, get_args

import msgspec

from engine.games.catalogue import USUAL_GAME
from server.config.declared import Field, fields_of
from server.contest.contest_file import RandomMoves
from server.contest.definition import Adjudication, Bounds, Definition, Format, Qualification, Stage

Fields: TypeAlias = Mapping[str, str]
"""What was typed and chosen, in the order of the form; what is empty or not chosen is missing."""

BOT, BUILTIN, PLAYER, KEPT = KINDS = ("bot.", "builtin.", "player.", "kept.")
"""Kinds of entrants: a version of a bot, a built-in bot, a player who connects, and one of the copied contest."""

PLAYERS = "players"
"""The field with the names of further players who connect."""

CHOSEN = "on"
"""What a field holds that is chosen."""

GAMES, STAGES = "games", "stages"
"""Tables of which there are several, numbered from 1."""

NEEDED = {GAMES: "game", STAGES: "format"}
"""The field without which a game or a stage of the form is left out."""

FORMATS: dict[str, type[msgspec.Struct]] = {str(one.__struct_config__.tag): one for one in get_args(Format)}
"""The formats of stages by their words."""

RULES = (
    *("seed", "seeding", "move-limit", "time-losses", "games-at-once", "cores", "patience", "interrupted"),
    *("start-seconds", "sandbox", "live-notes", "evaluations"),
)
"""Keys of a contest that are plain values."""

TABLES: dict[str, type[msgspec.Struct]] = {
    "qualification": Qualification,
    "adjudication": Adjudication,
    "bounds": Bounds,
}
"""Tables of plain values that a contest may have."""

NOT_PLAIN = frozenset({"format", "time", "opponents", "challengers", "tie-break-time"})
"""Keys of tables and stages whose values are written in a way of their own."""

OPTIONAL = ("qualification", "adjudication")
"""Fields that say whether the contest has these tables."""


class Option(NamedTuple):
    """A plain value that has a field."""

    declared: Field
    default: str
    """As the field holds it; empty where there is none."""


def options_of(declaring: type) -> Iterator[Option]:
    """Yield the plain values of a table, in order."""
    parameters = inspect.signature(declaring).parameters
    for one in fields_of(declaring):
        if one.key not in NOT_PLAIN:
            yield Option(one, "" if one.required else text_of(parameters[one.name].default))


def rules() -> Iterator[Option]:
    """Yield the plain values that stand in the file itself, in order."""
    return (one for one in options_of(Definition) if one.declared.key in RULES)


def text_of(value: Any) -> str:
    """Return a plain value as a field holds it."""
    if isinstance(value, bool):
        return CHOSEN if value else ""
    if isinstance(value, StrEnum):
        return str(value.value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if isinstance(value, int | str) else ""


OPENINGS = {one.declared.key: one.default for one in options_of(RandomMoves)}
"""The fields of random openings, with their defaults."""


def rows(fields: Fields, several: str) -> list[int]:
    """Return the numbers of the games or stages that fields name, in order."""
    named = re.compile(rf"{several}\.([1-9][0-9]{{0,2}})\.")
    return sorted({int(found[1]) for found in map(named.match, fields) if found})


def numbered(fields: Fields) -> dict[str, str]:
    """Return fields with games and stages numbered in order; those without a game or a format are left out."""
    kept = {name: value for name, value in fields.items() if not name.startswith((f"{GAMES}.", f"{STAGES}."))}
    for several, key in NEEDED.items():
        full = [row for row in rows(fields, several) if fields.get(f"{several}.{row}.{key}")]
        for number, row in enumerate(full, 1):
            before = f"{several}.{row}."
            kept |= {
                f"{several}.{number}.{name.removeprefix(before)}": value
                for name, value in fields.items()
                if name.startswith(before)
            }
    return kept


def with_defaults(fields: Fields) -> dict[str, str]:
    """Return fields with what holds where one of them is empty, as the form shows it."""
    known = {one.declared.key: one.default for one in rules()}
    for table, declaring in TABLES.items():
        known |= {f"{table}.{one.declared.key}": one.default for one in options_of(declaring)}
    for row in rows(fields, GAMES):
        known |= {f"{GAMES}.{row}.openings.{key}": default for key, default in OPENINGS.items()}
    of_stages: list[type[msgspec.Struct]] = [Stage, *FORMATS.values()]
    for row in rows(fields, STAGES):
        for declaring in of_stages:
            for one in options_of(declaring):
                known.setdefault(f"{STAGES}.{row}.{one.declared.key}", "" if one.default == "0" else one.default)
    known = {name: value for name, value in known.items() if value not in ("", CHOSEN)}
    return {**known, **fields}


def new_fields(bots: list[str]) -> dict[str, str]:
    """Return the fields of a contest that is no copy: versions of all these bots, in a round robin."""
    return {
        "time.budget": "60",
        "time.increment": "0.1",
        **{f"{BOT}{bot}": CHOSEN for bot in bots},
        f"{GAMES}.1.game": USUAL_GAME,
        f"{GAMES}.1.openings": "plies",
        f"{GAMES}.1.openings.plies": "4",
        f"{STAGES}.1.format": next(iter(FORMATS)),
    }
