"""The tables of the database of contests: their schema, and rows as values and back.

A definition is stored as JSON, with each struct as the list of its fields. The organiser's interventions are no part of
it: they have a table of their own.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from server.contest.definition import Definition
from server.contest.fixtures import Fixture, GameResult
from server.ops import typed_json
from server.storage.database import Schema

APPLICATION = 0x41524E41
"""Tells the file from databases of other programs: ARNA."""

TABLES = (
    """CREATE TABLE contests (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        file TEXT NOT NULL,
        definition TEXT NOT NULL,
        opened TEXT NOT NULL,
        closed TEXT
    )""",
    """CREATE TABLE entrants (
        contest INTEGER NOT NULL REFERENCES contests,
        place INTEGER NOT NULL,
        name TEXT NOT NULL,
        command TEXT NOT NULL,
        token TEXT NOT NULL,
        PRIMARY KEY (contest, place),
        UNIQUE (contest, name)
    )""",
    """CREATE TABLE stages (
        contest INTEGER NOT NULL REFERENCES contests,
        number INTEGER NOT NULL,
        began TEXT NOT NULL,
        PRIMARY KEY (contest, number)
    )""",
    # match is NULL if the game was not played; interventions counts those before the game
    """CREATE TABLE pairings (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        match INTEGER,
        stage INTEGER NOT NULL,
        round INTEGER NOT NULL,
        variant INTEGER NOT NULL,
        pair INTEGER NOT NULL,
        opening INTEGER NOT NULL,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        interventions INTEGER NOT NULL,
        UNIQUE (contest, match)
    )""",
    # a game that was not played can be lost again after an intervention
    """CREATE UNIQUE INDEX unplayed
        ON pairings (contest, stage, round, variant, pair, opening, first, second, interventions)
        WHERE match IS NULL""",
    # id is the order in which games ended; times are in microseconds; record_sha256 is empty if there was no record
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        pairing INTEGER NOT NULL UNIQUE REFERENCES pairings,
        winner INTEGER CHECK (winner IN (0, 1)),
        termination TEXT NOT NULL,
        detail TEXT NOT NULL,
        plies INTEGER NOT NULL,
        first_used INTEGER NOT NULL,
        second_used INTEGER NOT NULL,
        first_ready INTEGER NOT NULL,
        second_ready INTEGER NOT NULL,
        first_gone INTEGER NOT NULL,
        second_gone INTEGER NOT NULL,
        seconds REAL NOT NULL,
        record_sha256 TEXT NOT NULL
    )""",
    # what programs have used in a game; memory is in bytes and NULL if it was not measured,
    # status is the exit status, and NULL if the server has ended the program
    """CREATE TABLE programs (
        pairing INTEGER NOT NULL REFERENCES pairings,
        side INTEGER NOT NULL CHECK (side IN (0, 1)),
        cpu_seconds REAL NOT NULL,
        wall_seconds REAL NOT NULL,
        memory INTEGER,
        status INTEGER,
        PRIMARY KEY (pairing, side)
    )""",
    # how often a game failed: the server crashed in it, or something went wrong in the server itself
    """CREATE TABLE failures (
        contest INTEGER NOT NULL REFERENCES contests,
        stage INTEGER NOT NULL,
        round INTEGER NOT NULL,
        variant INTEGER NOT NULL,
        pair INTEGER NOT NULL,
        opening INTEGER NOT NULL,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (contest, stage, round, variant, pair, opening, first, second)
    )""",
    # pauses through a fault of the machine; ended is NULL while a pause lasts
    """CREATE TABLE pauses (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        began TEXT NOT NULL,
        ended TEXT,
        reason TEXT NOT NULL
    )""",
    # changes by the organiser; stage and round are the last ones in which a game had begun, command is JSON,
    # version and sha256 are the chosen version of a bot and the file that its author sent
    """CREATE TABLE interventions (
        contest INTEGER NOT NULL REFERENCES contests,
        number INTEGER NOT NULL,
        date TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        match INTEGER,
        command TEXT NOT NULL,
        stage INTEGER NOT NULL,
        round INTEGER NOT NULL,
        folder TEXT NOT NULL,
        version INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        PRIMARY KEY (contest, number)
    )""",
    # the verdict of the last verification; differences are a list in JSON
    """CREATE TABLE verifications (
        contest INTEGER PRIMARY KEY REFERENCES contests,
        date TEXT NOT NULL,
        games INTEGER NOT NULL,
        trusted INTEGER NOT NULL,
        differences TEXT NOT NULL
    )""",
)

SCHEMA = Schema(APPLICATION, TABLES)


def read_fixture(values: Any) -> Fixture:
    """Return the game of a pairing."""
    stage, round, variant, pair, opening, first, second = values
    return Fixture(stage, round, variant, pair, opening, (first, second))


def read_result(row: Any) -> GameResult:
    """Return the result of a game."""
    fixture = read_fixture(row[:7])
    match, interventions, winner, termination, detail, plies, *flags, seconds = row[7:]
    used, ready, gone = flags[:2], flags[2:4], flags[4:]
    return GameResult(
        fixture, match, winner, termination, detail, plies,
        (used[0], used[1]), (bool(ready[0]), bool(ready[1])), (bool(gone[0]), bool(gone[1])),
        seconds, interventions,
    )  # fmt: skip


def placeholders(number: int) -> str:
    """Return placeholders for a number of parameters."""
    return ", ".join("?" * number)


def date_text(date: datetime) -> str:
    """Return a date as it is stored; raises ValueError where it has no time zone."""
    if date.tzinfo is None:
        raise ValueError(f"a date needs its time zone, and {date.isoformat()} has none")
    return date.astimezone(UTC).isoformat()


def read_date(text: str) -> datetime:
    """Return a date that was stored."""
    return datetime.fromisoformat(text)


def definition_text(definition: Definition) -> str:
    """Return the text of a definition."""
    return msgspec.json.encode(replace(definition, interventions=())).decode()


def read_definition(text: str) -> Definition:
    """Return the definition of a text; raises `msgspec.DecodeError` if it is not one."""
    return replace(typed_json.decode(text, type=Definition), interventions=())
