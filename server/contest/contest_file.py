"""The contest file: TOML in, a `Definition` out, or one sentence about the first thing that is wrong with it.

`server.contest.definition` says which values are allowed. This module reads the keys that a file writes in another way
than a definition (times, openings), and checks values that depend on each other.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, TypeAlias

import msgspec

from engine.games.catalogue import GAMES, USUAL_GAME
from engine.games.interface import BadParameters, Game
from engine.match.clock import TimeControl
from server.config.builtin_bot import BUILTIN_BOTS, LEVELLED, BadBuiltinBot, read_builtin_bot
from server.config.declared import (
    BadTable,
    Field,
    Range,
    Read,
    TextForm,
    TomlTable,
    fields_of,
    read_fields,
    read_table,
    read_toml,
    read_value,
)
from server.config.settings import BUDGET, INCREMENT
from server.contest.definition import MAX_ENTRANTS, SEED, Definition, Entrant, Qualification, Stage, Variant
from server.contest.openings import BadOpening, from_moves, from_text, generated

MAX_OPENING_PLIES = 100
"""No opening needs as many; GIPF games between equals are over by then."""

READ_HERE = frozenset({"entrants", "variants", "stages", "qualification"})
"""Fields of a definition that are not read as they are declared."""

NOT_IN_FILES = frozenset({"folder", "interventions"})

HOURS = Field("hours", "hours", float, Range(0.001, 10_000, "hours"))


class BadContest(BadTable):
    """A contest file that cannot be played."""


Load = Callable[[str], str]
"""Returns the text of a file that the contest file names; raises OSError or UnicodeError."""


class _Time(msgspec.Struct):
    """A time control, in milliseconds."""

    budget: Annotated[int, BUDGET]
    increment: Annotated[int, INCREMENT] = 0


class _Files(msgspec.Struct):
    """Openings that are positions of files."""

    files: Annotated[tuple[str, ...], TextForm("(?s).+", "a list of names of position files")]


class _Moves(msgspec.Struct):
    """Openings that are moves from the start of the game."""

    moves: Annotated[
        tuple[tuple[str, ...], ...],
        TextForm("(?s).*", "a list of openings, each a list of moves from the start of the game"),
    ]


class RandomMoves(msgspec.Struct):
    """Openings that are random moves from the start of the game."""

    plies: Annotated[int, Range(1, MAX_OPENING_PLIES, "random moves")]
    number: Annotated[int, Range(1, 1000, "openings")] = 20
    seed: Annotated[int | None, SEED] = None


_Openings: TypeAlias = _Files | _Moves | RandomMoves

_OPENINGS: dict[str, type[_Openings]] = {"files": _Files, "moves": _Moves, "plies": RandomMoves}
"""By the key that only this way of giving openings has."""


class _Variant(msgspec.Struct):
    """A game with its parameters and openings."""

    game: Annotated[str, TextForm.one_of(GAMES)]
    params: Annotated[str | None, TextForm(".*", "numbers, as in '4 4 15 15'")] = None
    openings: TomlTable | None = None


def read(text: str, load: Load) -> Definition:
    """Read a contest file; raises `BadContest`. Files of positions are fetched by ``load``.

    The definition holds all of their positions, and those that were generated: nothing is read twice.
    """
    file = read_toml(text, "a contest file", BadContest)
    plain = [field for field in fields_of(Definition) if field.name not in READ_HERE | NOT_IN_FILES]
    file.expect([*(field.key for field in plain), "time", "entrants", "games", "stages", "qualification"])
    values = read_fields(file, plain, {"versions-until": _moment})
    control = read_control(None, file, "time")
    entrants = _entrants(file)
    if "versions_until" in values and not any(entrant.version_of for entrant in entrants):
        raise BadContest("versions-until is there, and no entrant has version-of: leave it out")
    games = file.tables("games", "one [[games]] or more, each with its game")
    variants = tuple(read_variant(table, load, values.get("seed", 0)) for table in games)
    names = tuple(entrant.name for entrant in entrants)
    stages = [_stage(table, control, names) for table in file.tables("stages", "one [[stages]] or more, in order")]
    _check_numbers(stages, len(entrants))
    qualification = None
    if file.has("qualification"):
        readers: dict[str, Read] = {"time": partial(read_control, control), "opponents": partial(_opponents, names)}
        qualification = read_table(file.table("qualification"), Qualification, readers)
    file.finish()
    return Definition(entrants=entrants, variants=variants, stages=tuple(stages), qualification=qualification, **values)


def _moment(table: TomlTable, key: str) -> datetime:
    """Return a date with its time zone."""
    found = table.value(key)
    if not isinstance(found, datetime) or found.tzinfo is None:
        raise table.wrong(key, "a date and time with its zone, as in 2026-11-27T18:00:00+01:00")
    return found


def read_control(default: TimeControl | None, table: TomlTable, key: str) -> TimeControl:
    """Return the time control under a key of a table, or the default where there is none. Raises `BadTable`."""
    if not table.has(key):
        if default is None:
            raise table.wrong(key, "a table with budget and increment in milliseconds")
        return default
    time = read_table(table.table(key), _Time)
    return TimeControl.of_milliseconds(time.budget, time.increment)


def _entrants(file: TomlTable) -> tuple[Entrant, ...]:
    tables = file.tables("entrants", "two [[entrants]] or more, each with its name")
    if not 2 <= len(tables) <= MAX_ENTRANTS:
        raise BadContest(f"a contest has 2 to {MAX_ENTRANTS} entrants, not {len(tables)}")
    entrants: dict[str, Entrant] = {}
    for table in tables:
        entrant = read_table(table, Entrant)
        if entrant.name.lower() in entrants:
            raise BadContest(
                f"{table.name_of('name')} is {entrant.name!r}, the name of another entrant; "
                "capital and small letters are the same"
            )
        if table.has("command") and not entrant.command:
            raise table.wrong("command", "the list of a program and its arguments")
        faults = {
            "command and version-of exclude each other": entrant.command and entrant.version_of,
            "folder needs a command": entrant.folder and not entrant.command,
            "version needs version-of": entrant.version and not entrant.version_of,
        }
        if fault := next((fault for fault, is_there in faults.items() if is_there), ""):
            raise BadContest(f"{table.place}: {fault}")
        entrants[entrant.name.lower()] = entrant
    return tuple(entrants.values())


def read_variant(table: TomlTable, load: Load, seed: int) -> Variant:
    """Return a game with its parameters and openings from its table. Raises `BadTable`."""
    found = read_table(table, _Variant, {"openings": TomlTable.table})
    game = GAMES[found.game]
    text = game.default_parameters if found.params is None else found.params
    try:
        parameters = game.parameters(text)
    except BadParameters as error:
        raise BadContest(f"{table.name_of('params')} is {text!r}: {error}") from None
    given = None if found.openings is None else _positions(found.openings, game, parameters, load, seed)
    return Variant(game.name, parameters, given or (game.start(parameters).text(),))


def _positions(table: TomlTable, game: Game, parameters: str, load: Load, seed: int) -> tuple[str, ...]:
    """Return the texts of the positions in which games begin, at least one."""
    ways = [key for key in _OPENINGS if table.has(key)]
    if len(ways) != 1:
        raise BadContest(f"{table.place} has one of files, moves and plies, not {' and '.join(ways) or 'none'}")
    key = ways[0]
    found: tuple[str, ...]
    try:
        match read_table(table, _OPENINGS[key]):
            case _Files(files):
                found = tuple(_position(table, name, load, game, parameters) for name in files)
            case _Moves(lines):
                found = tuple(from_moves(game, parameters, moves) for moves in lines)
            case RandomMoves(plies, number, own_seed):
                found = generated(game, parameters, plies, number, seed if own_seed is None else own_seed)
    except BadOpening as error:
        raise BadContest(f"{table.name_of(key)}: {error}") from None
    if not found:
        raise table.wrong(key, "a list of one opening or more")
    return found


def _position(openings: TomlTable, name: str, load: Load, game: Game, parameters: str) -> str:
    try:
        return from_text(game, parameters, load(name))
    except (OSError, UnicodeError) as error:
        raise BadContest(f"{openings.name_of('files')}: {name!r} cannot be read: {error}") from None
    except BadOpening as error:
        raise BadOpening(f"{name!r}: {error}") from None


def _stage(table: TomlTable, default: TimeControl, names: tuple[str, ...]) -> Stage:
    readers: dict[str, Read] = {
        "time": partial(read_control, default),
        "tie-break-time": lambda table, key: read_control(default, table, key if table.has(key) else "time"),
        "hours": lambda table, _key: round(read_value(table, HOURS) * 3600),
        "challengers": partial(_challengers, names),
    }
    return read_table(table, Stage, readers)


def _challengers(names: tuple[str, ...], table: TomlTable, key: str) -> tuple[str, ...]:
    if not table.has(key):
        return names[:1]
    right = f"a list of one or more entrants, not of all, of {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
    challengers = table.texts(key, right)
    if not 0 < len(set(challengers)) == len(challengers) < len(names) or not set(challengers) <= set(names):
        raise table.wrong(key, right)
    return challengers


def _opponents(names: tuple[str, ...], table: TomlTable, key: str) -> tuple[str, ...]:
    known = f"{', '.join(BUILTIN_BOTS)}, or one with a level, as {LEVELLED}:3"
    right = f"a list of one or more built-in bots, each once: {known}"
    try:
        bots = [read_builtin_bot(text) for text in table.texts(key, right)]
    except BadBuiltinBot as error:
        raise BadContest(f"{table.name_of(key)}: {error}") from None
    opponents = tuple(bot.name for bot in bots)
    if not len(set(opponents)) == len(opponents) > 0 or any(bot.game != USUAL_GAME for bot in bots):
        raise table.wrong(key, right)
    if taken := set(map(str.lower, names)).intersection(opponents):
        raise BadContest(f"{table.name_of(key)} has {min(taken)}, which is the name of an entrant, too")
    return opponents


def _check_numbers(stages: list[Stage], entrants: int) -> None:
    """Check values that depend on the number of entrants in a stage."""
    for number, stage in enumerate(stages, 1):
        place = f"stages[{number}]"
        if number == 1 and stage.advance:
            raise BadContest(f"{place}.advance stands in the first stage, which everybody takes part in: leave it out")
        if stage.advance > entrants:
            raise BadContest(f"{place}.advance is {stage.advance}, but only {entrants} are left by then")
        entrants = stage.advance or entrants
        if fault := stage.format.fault(number == 1, entrants):
            raise BadContest(f"{place}{fault}")
