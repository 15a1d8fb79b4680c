"""The contest file: TOML in, a `Definition` out, or one sentence about the first thing that is wrong with it."""

import tomllib
from collections.abc import Callable

from engine.clock import TimeControl
from engine.games.catalogue import GAMES
from engine.games.interface import BadParameters
from engine.wire.words import NAME_PATTERN
from server.config.declared import fields_of, read_fields
from server.config.settings import BUILTIN_BOTS, MAX_BUDGET, MAX_MOVES, MIN_BUDGET
from server.config.toml_table import BadTable, TomlTable
from server.contest.definition import (
    Adjudication,
    Bounds,
    Definition,
    Entrant,
    Format,
    Gauntlet,
    Interrupted,
    Knockout,
    Ladder,
    Qualification,
    RoundRobin,
    Sandbox,
    Seeding,
    Stage,
    Swiss,
    Variant,
)
from server.contest.formats.openings import BadOpening, from_moves, from_text, generated

FORMATS = ("round-robin", "swiss", "gauntlet", "knockout", "ladder")
NAME = "a name of 1 to 32 letters, digits, '_', '.' and '-', the first a letter or digit"
MAX_ENTRANTS = 500
"""A table of more is not read by anybody, and pairing them takes the server longer than a second."""

MAX_OPENING_PLIES = 100
"""No opening needs as many; GIPF games between equals are over by then."""


class BadContest(BadTable):
    """A contest file that cannot be played."""


Load = Callable[[str], str]
"""What returns the text of a file named in the contest file; raises OSError or UnicodeError."""


def read(text: str, load: Load) -> Definition:
    """Read a contest file; raises `BadContest`. Files of positions are fetched by ``load``.

    The definition holds all of their positions, and those that were generated: nothing is read twice.
    """
    try:
        file = TomlTable(tomllib.loads(text), "", "a contest file", BadContest)
    except tomllib.TOMLDecodeError as error:
        raise BadContest(f"this is no TOML: {error}") from None
    name = file.text("name", r"[^\x00-\x1f]{1,80}", "the contest's name, 1 to 80 characters in one line")
    seed = file.number("seed", 0, 2**63 - 1, 0)
    move_limit = file.number("move-limit", 1, MAX_MOVES, 1000, "moves of both sides")
    time_losses = file.number("time-losses", 0, 1000, 3, "games")
    games_at_once = file.number("games-at-once", 0, 1000, 0)
    cores = file.number("cores", 0, 1000, 0)
    patience = file.number("patience", 0, 7 * 24 * 3600, 600, "seconds")
    start_seconds = file.number("start-seconds", 1, 3600, 60, "seconds")
    seeding = Seeding(file.choice("seeding", Seeding, Seeding.LISTED))
    interrupted = Interrupted(file.choice("interrupted", Interrupted, Interrupted.RESUME))
    control = _control(file, None)
    entrants = _entrants(file)
    variants = tuple(
        _variant(table, load, seed) for table in file.tables("games", "one [[games]] or more, each with its game")
    )
    names = tuple(entrant.name for entrant in entrants)
    stages = [_stage(table, control, names) for table in file.tables("stages", "one [[stages]] or more, in order")]
    _check_numbers(stages, len(entrants))
    qualification = _qualification(file.table("qualification"), control, names)
    adjudication = _adjudication(file.table("adjudication"))
    sandbox = Sandbox(file.choice("sandbox", Sandbox, Sandbox.SEALED))
    bounds = _bounds(file.table("bounds"))
    visible = file.texts("visible", "a list of folders that every program may read", ())
    file.finish()
    return Definition(
        name, seed, entrants, variants, tuple(stages), move_limit, time_losses, seeding, interrupted, games_at_once,
        cores, qualification, adjudication, patience, start_seconds=start_seconds, sandbox=sandbox, bounds=bounds,
        visible=visible,
    )  # fmt: skip


def _control(table: TomlTable, default: TimeControl | None, key: str = "time") -> TimeControl:
    time = table.table(key)
    if time is None:
        if default is None:
            raise table.wrong(key, "a table with budget and increment in milliseconds")
        return default
    least, most = TimeControl(MIN_BUDGET, MAX_BUDGET).milliseconds
    budget = time.number("budget", least, most, unit="milliseconds")
    increment = time.number("increment", 0, most, 0, "milliseconds")
    time.finish()
    return TimeControl.of_milliseconds(budget, increment)


def _entrants(file: TomlTable) -> tuple[Entrant, ...]:
    tables = file.tables("entrants", "two [[entrants]] or more, each with its name")
    if not 2 <= len(tables) <= MAX_ENTRANTS:
        raise BadContest(f"a contest has 2 to {MAX_ENTRANTS} entrants, not {len(tables)}")
    entrants: dict[str, Entrant] = {}
    for table in tables:
        name = table.text("name", NAME_PATTERN, NAME)
        if name.lower() in entrants:
            raise table.wrong("name", "a name that no other entrant has, capital and small letters being alike")
        command = table.texts("command", "the list of a program and its arguments", ())
        token = table.text("token", "[0-9a-f]{64}", "the SHA-256 of the entrant's token, 64 hexadecimal digits", "")
        if command and token:
            raise BadContest(f"{table.place} has a command and a token: a program that is started needs no token")
        if table.has("command") and not command:
            raise table.wrong("command", "the list of a program and its arguments")
        folder = table.text(
            "folder", r"[^\x00]+", "the folder of the entrant's program, seen from the contest file", ""
        )
        if folder and not command:
            raise BadContest(f"{table.place} has a folder and no command: only a program that is started works in one")
        table.finish()
        entrants[name.lower()] = Entrant(name, command, token, folder)
    return tuple(entrants.values())


def _variant(table: TomlTable, load: Load, seed: int) -> Variant:
    game = GAMES[table.choice("game", GAMES)]
    text = table.text("params", ".*", "numbers, as in '4 4 15 15'", game.default_parameters)
    try:
        parameters = game.parameters(text)
    except BadParameters as error:
        raise BadContest(f"{table.name_of('params')} is {text!r}: {error}") from None
    openings = table.table("openings")
    table.finish()
    if openings is None:
        return Variant(game.name, parameters, (game.start(parameters).text(),))
    ways = [key for key in ("files", "moves", "plies") if openings.has(key)]
    if len(ways) != 1:
        raise BadContest(f"{openings.place} has one of files, moves and plies, not {' and '.join(ways) or 'none'}")
    key = ways[0]
    positions: tuple[str, ...]
    try:
        if key == "files":
            names = openings.texts(key, "a list of names of position files")
            positions = tuple(_position(openings, name, load, game.name, parameters) for name in names)
        elif key == "moves":
            lines = openings.lists(key, "a list of openings, each a list of moves from the start of the game")
            positions = tuple(from_moves(game, parameters, moves) for moves in lines)
        else:
            plies = openings.number(key, 1, MAX_OPENING_PLIES, unit="random moves")
            number = openings.number("number", 1, 1000, 20, "openings")
            positions = generated(game, parameters, plies, number, openings.number("seed", 0, 2**63 - 1, seed))
    except BadOpening as error:
        raise BadContest(f"{openings.name_of(key)}: {error}") from None
    if not positions:
        raise openings.wrong(key, "a list of one opening or more")
    openings.finish()
    return Variant(game.name, parameters, positions)


def _position(openings: TomlTable, name: str, load: Load, game: str, parameters: str) -> str:
    try:
        return from_text(GAMES[game], parameters, load(name))
    except (OSError, UnicodeError) as error:
        raise BadContest(f"{openings.name_of('files')}: {name!r} cannot be read: {error}") from None
    except BadOpening as error:
        raise BadOpening(f"{name!r}: {error}") from None


def _stage(table: TomlTable, default: TimeControl, names: tuple[str, ...]) -> Stage:
    kind = table.choice("format", FORMATS)
    control = _control(table, default)
    pairs = table.number("pairs", 1, 1000, 1, "pairs of games")
    advance = table.number("advance", 2, len(names), 0, "entrants") if table.has("advance") else 0
    format_ = _format(table, kind, control, names)
    table.finish()
    return Stage(format_, control, pairs, advance)


def _format(table: TomlTable, kind: str, control: TimeControl, names: tuple[str, ...]) -> Format:
    if kind == "round-robin":
        return RoundRobin(table.number("cycles", 1, 1000, 1))
    if kind == "swiss":
        return Swiss(table.number("rounds", 1, 1000))
    if kind == "knockout":
        tie_breaks = table.number("tie-breaks", 0, 100, 4, "pairs of games")
        return Knockout(tie_breaks, _control(table, control, "tie-break-time"))
    if kind == "ladder":
        games = table.number("games", 1, 10**9, 0) if table.has("games") else 0
        hours = table.decimal("hours", 0.001, 10_000, unit="hours") if table.has("hours") else 0.0
        if not games and not hours:
            raise BadContest(f"{table.place} is a ladder without an end: it needs games, hours, or both")
        return Ladder(games, round(hours * 3600))
    right = f"a list of one or more entrants, not of all, of {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
    challengers = table.texts("challengers", right, names[:1])
    if not 0 < len(set(challengers)) == len(challengers) < len(names) or not set(challengers) <= set(names):
        raise table.wrong("challengers", right)
    return Gauntlet(challengers, table.number("cycles", 1, 1000, 1))


def _check_numbers(stages: list[Stage], entrants: int) -> None:
    """Check what depends on how many take part in a stage."""
    for number, stage in enumerate(stages, 1):
        place = f"stages[{number}]"
        if number == 1 and stage.advance:
            raise BadContest(f"{place}.advance stands in the first stage, which everybody takes part in: leave it out")
        if number > 1 and isinstance(stage.format, Gauntlet):
            raise BadContest(f"{place}.format is gauntlet, which can only be the first stage")
        if stage.advance > entrants:
            raise BadContest(f"{place}.advance is {stage.advance}, but only {entrants} are left by then")
        entrants = stage.advance or entrants
        if isinstance(stage.format, Swiss) and stage.format.rounds >= entrants:
            raise BadContest(
                f"{place}.rounds is {stage.format.rounds}, but of {entrants} entrants some would meet twice after round"
                f" {entrants - 1}"
            )


def _qualification(table: TomlTable | None, default: TimeControl, names: tuple[str, ...]) -> Qualification | None:
    if table is None:
        return None
    right = f"a list of one or more of the built-in bots {', '.join(BUILTIN_BOTS)}, like which no entrant is called"
    opponents = table.texts("opponents", right)
    taken = {name.lower() for name in names}
    known = len(set(opponents)) == len(opponents) > 0 and set(opponents) <= set(BUILTIN_BOTS)
    if not known or taken & set(opponents):
        raise table.wrong("opponents", right)
    control = _control(table, default)
    pairs = table.number("pairs", 1, 1000, 1, "pairs of games")
    time_losses = table.number("time-losses", 1, 1000, 2, "games")
    bad_moves = table.number("bad-moves", 1, 1000, 1, "moves")
    table.finish()
    return Qualification(opponents, control, pairs, time_losses, bad_moves)


def _bounds(table: TomlTable | None) -> Bounds:
    if table is None:
        return Bounds()
    found = Bounds(**read_fields(table, fields_of(Bounds)))
    table.finish()
    return found


def _adjudication(table: TomlTable | None) -> Adjudication | None:
    if table is None:
        return None
    found = Adjudication(**read_fields(table, fields_of(Adjudication)))
    table.finish()
    return found
