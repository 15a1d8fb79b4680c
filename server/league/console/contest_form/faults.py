"""To which field a sentence belongs about what is wrong with the contest file that the fields have made. Pure."""

import re
from typing import NamedTuple

from server.config.settings import BUDGET, INCREMENT
from server.league.console.contest_form.fields import (
    FORMATS,
    GAMES,
    OPENINGS,
    OPTIONAL,
    STAGES,
    TABLES,
    Fields,
    options_of,
    rules,
)

ENTRANTS = "entrants"
"""Where what is wrong with entrants is told, none of which has a field with a value of its own."""

PLACE = re.compile(r"(?P<place>[a-z-]+(?:\[[0-9]+\])?(?:\.[a-z-]+)*)(?!\w)")

TIME = re.compile(r"(.*\b(?:tie-break-)?time)\.(budget|increment)")

_STAGE = {"format", "pairs", "advance", "challengers"} | {
    f"{time}.{key}" for time in ("time", "tie-break-time") for key in ("budget", "increment")
}
_STAGE |= {one.declared.key for format in FORMATS.values() for one in options_of(format)}

_GAME = {"game", "params", "openings", "openings.moves", *(f"openings.{key}" for key in OPENINGS)}

_PLAIN = {"name", "versions-until", ENTRANTS, "time.budget", "time.increment", *OPTIONAL, "qualification.opponents"}
_PLAIN |= {"qualification.time.budget", "qualification.time.increment", *(one.declared.key for one in rules())}
_PLAIN |= {f"{table}.{one.declared.key}" for table, declaring in TABLES.items() for one in options_of(declaring)}


class Fault(NamedTuple):
    """Something that is wrong."""

    field: str
    """Empty where it is no field's."""
    sentence: str


def fault_of(sentence: str, fields: Fields) -> Fault:
    """Return what is wrong with the file that some fields have made, told of the field."""
    found = PLACE.match(sentence)
    place = "" if found is None else re.sub(r"\[([0-9]+)\]", r".\1", found["place"])
    if sentence.startswith("a contest has ") or place.startswith(f"{ENTRANTS}."):
        return Fault(ENTRANTS, sentence)
    time = TIME.fullmatch(place)
    if found is not None and time is not None:
        allowed = BUDGET if time[2] == "budget" else INCREMENT
        seconds = f"a number of seconds from {allowed.least / 1000:g} to {allowed.most / 1000:g}"
        typed = fields.get(place, "")
        told = f"{found['place']} is {seconds}, not {typed!r}" if typed else f"{found['place']} is missing: {seconds}"
        return Fault(place, told)
    several, _, rest = place.partition(".")
    row, _, key = rest.partition(".")
    if several == STAGES and row.isdecimal():
        return Fault(place if key in _STAGE else f"{STAGES}.{row}.format", sentence)
    if several == GAMES and row.isdecimal():
        return Fault(place if key in _GAME else f"{GAMES}.{row}.game", sentence)
    return Fault(place if place in _PLAIN else "", sentence)
