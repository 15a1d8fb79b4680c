"""A contest file as the fields of the form, as far as they can say it. Pure but for fetching files of positions.

Whether they can is found out by writing them: the file that comes of it has to mean the same.
"""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from server.config.builtin_bot import BadBuiltinBot, builtin_bot_named
from server.contest import contest_file
from server.contest.contest_file import BadContest, Load
from server.contest.definition import Definition, Entrant
from server.contest.programs.command import builtin_entrant_command
from server.league.console.contest_form.fields import (
    BOT,
    BUILTIN,
    CHOSEN,
    GAMES,
    KEPT,
    OPTIONAL,
    PLAYER,
    STAGES,
    TABLES,
    text_of,
)
from server.league.console.contest_form.writing import write


def fill(text: str, load: Load) -> dict[str, str] | None:
    """Return a contest file as fields; None where they cannot say all of it, or it cannot be read any more."""
    try:
        meant = contest_file.read(text, load)
        fields = dict(_fields(tomllib.loads(text), meant))
        said = contest_file.read(write(fields, kept_entrants(meant)), load)
    except BadContest:
        return None
    return fields if said == meant else None


def kept_entrants(earlier: Definition | None) -> Mapping[str, Entrant]:
    """Return the entrants that a copy of a contest can have as they are, by name."""
    return {} if earlier is None else {one.name: one for one in earlier.entrants}


def entrant_field(entrant: Entrant) -> str:
    """Return the name of the field of an entrant."""
    if entrant == Entrant(entrant.name, version_of=entrant.name):
        return f"{BOT}{entrant.name}"
    if entrant == Entrant(entrant.name):
        return f"{PLAYER}{entrant.name}"
    try:
        if entrant == Entrant(entrant.name, builtin_entrant_command(builtin_bot_named(entrant.name))):
            return f"{BUILTIN}{entrant.name}"
    except BadBuiltinBot:
        pass  # it is a program with a name of its own
    return f"{KEPT}{entrant.name}"


def _fields(file: dict[str, Any], meant: Definition) -> Iterator[tuple[str, str]]:
    """Yield names of fields with their values, of a file that can be read."""
    for key, value in file.items():
        if isinstance(value, datetime):
            moment = value.astimezone(UTC)
            yield key, moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.second else "minutes")
        elif key in ("time", *TABLES):
            yield from _table(key, value)
        elif key == GAMES:
            for number, game in enumerate(value, 1):
                yield from _game(f"{GAMES}.{number}.", game)
        elif key == STAGES:
            for number, stage in enumerate(value, 1):
                yield from _table(f"{STAGES}.{number}", stage)
        elif key != "entrants":
            yield from _value(key, value)
    for entrant in meant.entrants:
        yield entrant_field(entrant), CHOSEN


def _table(place: str, table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if place in OPTIONAL:
        yield place, CHOSEN
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _table(f"{place}.{key}", value)
        elif isinstance(value, list):
            yield f"{place}.{key}", " ".join(map(str, value))
        elif key in ("budget", "increment"):
            yield f"{place}.{key}", f"{(Decimal(value) / 1000).normalize():f}"
        else:
            yield from _value(f"{place}.{key}", value)


def _game(place: str, game: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in game.items():
        if not isinstance(value, dict):
            yield from _value(f"{place}{key}", value)
            continue
        yield f"{place}{key}", next((way for way in ("plies", "moves") if way in value), "")
        for name, found in value.items():
            if name == "moves":
                yield f"{place}{key}.{name}", "\n".join(" ".join(moves) for moves in found)
            else:
                yield from _value(f"{place}{key}.{name}", found)


def _value(place: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield a plain value, where it is not empty."""
    if text := text_of(value):
        yield place, text
