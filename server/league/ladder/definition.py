"""The ladder file: TOML in, a `LadderDefinition` out, or one sentence about the first thing that is wrong with it.

`roster` lists the players: levels and programs of the file, active versions of bots, and bots that connect by
themselves.

Ranges and forms of values are declared here, as in `server.contest.definition`. Games and time controls are written as
in contest files.
"""

from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Annotated, NamedTuple

import msgspec

from engine.levels import LEVELS
from engine.match.clock import TimeControl
from engine.statistics.online import LadderPlayer
from engine.wire.words import NAME_PATTERN, NAME_RULE
from server.config.builtin_bot import LEVELLED, BuiltinBot
from server.config.declared import (
    BadTable,
    Field,
    Range,
    TextForm,
    TomlTable,
    faults_named,
    fields_of,
    read_fields,
    read_table,
    read_text,
    read_toml,
    read_value,
)
from server.contest.contest_file import Load, read_control, read_variant
from server.contest.definition import PATHS, Definition, Entrant, Stage, Variant
from server.contest.formats.meetings import Ladder

LEVEL_ELO = (500, 963, 1426, 1875, 2353, 2802, 3251, 3700, 4170)
"""Elo of the levels from 1 on: 500, and the measured distances in GIPF 4 4 15 15 (docs/performance.md).

The last one is an estimate: it was measured with more positions than the level has.
"""

ELO = Range(-10_000, 10_000, "Elo")

TITLE = "the ladder"
"""The name of the ladder as a contest."""


class FixedLevel(msgspec.Struct, frozen=True):
    """A level of the built-in bot, whose rating is known and does not move: a fixed point of the scale."""

    level: Annotated[int, Range(1, len(LEVELS))]
    elo: Annotated[float | None, ELO] = None
    """None: that of `LEVEL_ELO`."""


class LadderProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program that the file names, beside the versions that authors send."""

    name: Annotated[str, TextForm(NAME_PATTERN, f"a name of {NAME_RULE}")]
    owner: Annotated[str, TextForm(NAME_PATTERN, f"the name of its author, {NAME_RULE}")]
    command: Annotated[tuple[str, ...], TextForm("(?s).+", "the list of a program and its arguments")]
    folder: Annotated[
        str, TextForm(PATHS, "the program's folder, seen from the ladder file, which is all that it sees")
    ]


class LadderEntrant(NamedTuple):
    """Somebody who plays on the ladder, and how."""

    player: LadderPlayer
    version: int
    """0 for what the ladder file names, and for bots that connect."""
    entrant: Entrant | None
    """How it is started, if it is; None for the built-in bot."""

    @property
    def connects(self) -> bool:
        """Tell whether it plays on its author's machine."""
        return self.entrant is not None and self.entrant.connects


class LadderDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder."""

    contest: Definition
    """The ladder as a contest between the programs of the file, whose folders are absolute."""
    weights: dict[str, float]
    """By variant: its share of the games is this part of the sum of all weights."""
    listed: tuple[LadderEntrant, ...]
    """The levels and the programs of the file."""
    failures: Annotated[int, Range(1, 1000, "games")] = 3
    """After so many failures in a row, to start or to stay alive, a program rests until its author has another one."""
    games_a_day: Annotated[int, Range(0, 10_000_000, "games")] = 10_000
    """Most games within 24 hours; 0: no bound."""

    @property
    def control(self) -> TimeControl:
        """The time control of all games."""
        return self.contest.stages[0].control


_AS_IN_CONTESTS = ("seed", "move_limit", "cores", "start_seconds", "sandbox", "bounds", "visible")
"""Fields of a contest that a ladder file may have."""

_OWN = ("failures", "games_a_day")

_WEIGHT = Field("weight", "weight", float, Range(0.001, 1000))


def read(text: str, folder: PurePath, load: Load) -> LadderDefinition:
    """Read a ladder file that lies in a folder; raises `BadTable`. Files of positions are fetched by ``load``."""
    file = read_toml(text, "a ladder file")
    as_in_contests = [field for field in fields_of(Definition) if field.name in _AS_IN_CONTESTS]
    own = [field for field in fields_of(LadderDefinition) if field.name in _OWN]
    file.expect([*(field.key for field in (*as_in_contests, *own)), "time", "games", "levels", "programs"])
    values = read_fields(file, as_in_contests)
    rules = read_fields(file, own)
    values["visible"] = tuple(str(folder / place) for place in values.get("visible", ()))
    control = read_control(None, file, "time")
    variants: list[Variant] = []
    weights: dict[str, float] = {}
    for table in file.tables("games", "one [[games]] or more, each with its game, and a weight where they differ"):
        weight = read_value(table, _WEIGHT) if table.has(_WEIGHT.key) else 1.0
        variant = read_variant(table, load, values.get("seed", 0))
        if variant.name in weights:
            raise BadTable(f"{table.place} is {variant.name}, which another one of games is already: take one out")
        variants.append(variant)
        weights[variant.name] = weight
    levels = [read_table(table, FixedLevel) for table in _optional(file, "levels")]
    elos = [LEVEL_ELO[one.level - 1] if one.elo is None else one.elo for one in levels]
    names = [BuiltinBot(LEVELLED, one.level).name for one in levels]
    listed = [LadderEntrant(LadderPlayer(name, "", elo), 0, None) for name, elo in zip(names, elos, strict=True)]
    listed += [_program(table, folder) for table in _optional(file, "programs")]
    file.finish()
    names = [one.player.name.lower() for one in listed]
    for place, one in enumerate(listed):
        if names[place] in names[:place]:
            raise BadTable(f"two players of the ladder are called {one.player.name}, in capital or small letters")
    contest = Definition(
        name=TITLE,
        entrants=tuple(one.entrant for one in listed if one.entrant is not None),
        variants=tuple(variants),
        stages=(Stage(Ladder(), control),),
        **values,
    )
    return LadderDefinition(contest=contest, weights=weights, listed=tuple(listed), **rules)


def read_file(path: Path) -> LadderDefinition:
    """Read a ladder file; raises `BadTable` with a sentence that names it."""
    folder = path.absolute().parent
    with faults_named(path):
        return read(read_text(path), folder, lambda name: read_text(folder / name))


def _optional(file: TomlTable, key: str) -> list[TomlTable]:
    return file.tables(key, f"a list of tables, each a [[{key}]]") if file.has(key) else []


def _program(table: TomlTable, folder: PurePath) -> LadderEntrant:
    program = read_table(table, LadderProgram)
    if not program.command:
        raise table.wrong("command", "the list of a program and its arguments")
    entrant = Entrant(program.name, program.command, folder=str(folder / program.folder))
    return LadderEntrant(LadderPlayer(program.name, program.owner), 0, entrant)


def roster(
    definition: LadderDefinition, versions: Iterable[LadderEntrant], connected: Iterable[LadderEntrant] = ()
) -> dict[str, LadderEntrant]:
    """Return the players by name: those of the file, active versions of bots, and bots that connect by themselves.

    A bot with the name of a player of the file is left out, and so is a connected bot with an active version.
    """
    listed = {one.player.name: one for one in definition.listed}
    for bots in (versions, connected):
        taken = {name.lower() for name in listed}
        listed |= {one.player.name: one for one in bots if one.player.name.lower() not in taken}
    return listed


NO_LADDER = "no ladder is played here; arena-server serve --ladder FILE plays one"
