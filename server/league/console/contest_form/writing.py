"""The fields of the form as the text of a contest file. Pure.

Every text can be typed: where a number should stand and something else does, it is written as a text, so that reading
the file says what is wrong, in the sentence that the file's author would hear.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from server.config.builtin_bot import BadBuiltinBot, builtin_bot_named
from server.config.declared import Field
from server.contest.definition import Entrant, Stage
from server.contest.programs.command import builtin_entrant_command
from server.league.console.contest_form.fields import (
    BOT,
    BUILTIN,
    FORMATS,
    GAMES,
    KEPT,
    OPENINGS,
    OPTIONAL,
    PLAYER,
    PLAYERS,
    STAGES,
    TABLES,
    Fields,
    Option,
    numbered,
    options_of,
    rows,
    rules,
)

WHOLE, DECIMAL = re.compile("[0-9]{1,18}"), re.compile("[0-9]{1,12}[.,][0-9]{1,9}")

MOMENT = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


def write(fields: Fields, kept: Mapping[str, Entrant]) -> str:
    """Return the contest file that fields say; ``kept`` are the entrants of the contest that is copied, by name."""
    fields = numbered(fields)
    lines = [f"name = {quote(fields['name'])}"] if "name" in fields else []
    lines += _plain(fields, "", rules())
    lines.append(f"time = {_time(fields, 'time') or '{}'}")
    if fields.get("versions-until"):
        lines.append(f"versions-until = {_moment(fields['versions-until'])}")
    lines += ["entrants = [", *(f"    {entrant}," for entrant in _entrants(fields, kept)), "]"]
    for row in rows(fields, GAMES):
        lines += ["", f"[[{GAMES}]]", *_game(fields, f"{GAMES}.{row}.")]
    for table, declaring in TABLES.items():
        found = _plain(fields, f"{table}.", options_of(declaring))
        if table == "qualification":
            found += _qualification(fields)
        if fields.get(table) or (table not in OPTIONAL and found):
            lines += ["", f"[{table}]", *found]
    for row in rows(fields, STAGES):
        lines += ["", f"[[{STAGES}]]", *_stage(fields, f"{STAGES}.{row}.")]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """Return a text as TOML has it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quote, texts))}]"


def _words(text: str) -> list[str]:
    """Return names that stand apart by blanks or commas."""
    return text.replace(",", " ").split()


def _number(text: str) -> str:
    if WHOLE.fullmatch(text):
        return str(int(text))
    return text.replace(",", ".") if DECIMAL.fullmatch(text) else quote(text)


def _milliseconds(seconds: str) -> str:
    if not WHOLE.fullmatch(seconds) and not DECIMAL.fullmatch(seconds):
        return quote(seconds)
    found = Decimal(seconds.replace(",", ".")) * 1000
    return f"{int(found):_}" if found == int(found) else f"{found.normalize():f}"


def _time(fields: Fields, place: str) -> str:
    """Return the time control of a place; empty where the form has none there."""
    found = {
        key: _milliseconds(fields[name]) for key in ("budget", "increment") if (name := f"{place}.{key}") in fields
    }
    if found.get("increment") == "0":
        del found["increment"]
    return f"{{ {', '.join(f'{key} = {value}' for key, value in found.items())} }}" if found else ""


def _moment(text: str) -> str:
    try:
        if MOMENT.fullmatch(text):
            return f"{datetime.fromisoformat(text).isoformat()}Z"
    except ValueError:
        pass  # a day that is in no calendar
    return quote(text)


def _plain(fields: Fields, place: str, options: Iterable[Option]) -> list[str]:
    """Return the lines of plain values that are not the usual ones."""
    found = ((one.declared, fields.get(f"{place}{one.declared.key}", ""), one.default) for one in options)
    return [f"{one.key} = {_value(one, text)}" for one, text, default in found if text not in ("", default)]


def _value(one: Field, text: str) -> str:
    if one.kind is bool:
        return "true"
    return _number(text) if one.kind in (int, float) else quote(text)


def _entrants(fields: Fields, kept: Mapping[str, Entrant]) -> Iterator[str]:
    for field in fields:
        kind, _, name = field.partition(".")
        if f"{kind}." == BOT:
            yield f"{{ name = {quote(name)}, version-of = {quote(name)} }}"
        elif f"{kind}." == BUILTIN:
            yield _builtin(name)
        elif f"{kind}." == PLAYER:
            yield f"{{ name = {quote(name)} }}"
        elif f"{kind}." == KEPT and name in kept:
            yield _kept(kept[name])
    yield from (f"{{ name = {quote(name)} }}" for name in _words(fields.get(PLAYERS, "")))


def _builtin(name: str) -> str:
    try:
        command = builtin_entrant_command(builtin_bot_named(name))
    except BadBuiltinBot:
        return f"{{ name = {quote(name)} }}"  # which no form has offered
    return f"{{ name = {quote(name)}, command = {_list(command)} }}"


def _kept(entrant: Entrant) -> str:
    found = [f"name = {quote(entrant.name)}"]
    if entrant.command and not entrant.version_of:
        found.append(f"command = {_list(entrant.command)}")
    for key, value in (("token", entrant.token), ("version-of", entrant.version_of)):
        found += [f"{key} = {quote(value)}"] if value else []
    if entrant.folder and not entrant.version_of:
        found.append(f"folder = {quote(entrant.folder)}")
    return f"{{ {', '.join(found)} }}"


def _game(fields: Fields, place: str) -> Iterator[str]:
    yield f"game = {quote(fields[f'{place}game'])}"
    if f"{place}params" in fields:
        yield f"params = {quote(fields[f'{place}params'])}"
    match fields.get(f"{place}openings"):
        case "plies":
            texts = {key: fields.get(f"{place}openings.{key}", "") for key in OPENINGS}
            texts["plies"] = texts["plies"] or "0"
            found = [f"{key} = {_number(text)}" for key, text in texts.items() if text not in ("", OPENINGS[key])]
            yield f"openings = {{ {', '.join(found)} }}"
        case "moves":
            lines = fields.get(f"{place}openings.moves", "").splitlines()
            yield f"openings = {{ moves = [{', '.join(_list(line.split()) for line in lines if line.strip())}] }}"


def _qualification(fields: Fields) -> Iterator[str]:
    yield f"opponents = {_list(_words(fields.get('qualification.opponents', '')))}"
    if time := _time(fields, "qualification.time"):
        yield f"time = {time}"


def _stage(fields: Fields, place: str) -> Iterator[str]:
    word = fields[f"{place}format"]
    yield f"format = {quote(word)}"
    format = FORMATS.get(word)
    if format is not None:
        yield from _plain(fields, place, options_of(format))
    if word == "gauntlet" and f"{place}challengers" in fields:
        yield f"challengers = {_list(_words(fields[f'{place}challengers']))}"
    yield from _plain(fields, place, options_of(Stage))
    for key in ("time", "tie-break-time") if word == "knockout" else ("time",):
        if time := _time(fields, f"{place}{key}"):
            yield f"{key} = {time}"
