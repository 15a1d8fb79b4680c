"""The tables of the store of contests, ``arena.sqlite3`` in the data directory."""

from server.storage.database import Schema

FILE = "arena.sqlite3"
"""Name of the store in the data directory."""

LADDER = 0
"""The number of the ladder among the contests. The others count from 1."""

APPLICATION = 0x41524E41
"""Tells the file from databases of other programs: ARNA."""

# Fixtures, results, interventions and verdicts are JSON, each the list of its fields.
TABLES = (
    """CREATE TABLE contests (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        file TEXT NOT NULL,
        definition TEXT NOT NULL,
        opened TEXT NOT NULL,
        closed TEXT
    )""",
    """CREATE TABLE stages (
        contest INTEGER NOT NULL REFERENCES contests,
        number INTEGER NOT NULL,
        began TEXT NOT NULL,
        PRIMARY KEY (contest, number)
    )""",
    # match is NULL if the game was not played; interventions counts those before it; pages of games show the round
    """CREATE TABLE pairings (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        match INTEGER,
        fixture TEXT NOT NULL,
        interventions INTEGER NOT NULL,
        round INTEGER GENERATED ALWAYS AS (json_extract(fixture, '$[1]')),
        UNIQUE (contest, match)
    )""",
    # a game that was not played can be lost again after an intervention
    "CREATE UNIQUE INDEX unplayed ON pairings (contest, fixture, interventions) WHERE match IS NULL",
    # id is the order in which games ended; record_sha256 is empty if there was no record
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        pairing INTEGER NOT NULL UNIQUE REFERENCES pairings,
        result TEXT NOT NULL,
        record_sha256 TEXT NOT NULL
    )""",
    # how often a game failed: the server crashed in it, or something went wrong in the server itself
    """CREATE TABLE failures (
        contest INTEGER NOT NULL REFERENCES contests,
        fixture TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (contest, fixture)
    )""",
    # pauses through a fault of the machine; ended is NULL while a pause lasts
    """CREATE TABLE pauses (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        began TEXT NOT NULL,
        ended TEXT,
        reason TEXT NOT NULL
    )""",
    # changes by the organiser
    """CREATE TABLE interventions (
        contest INTEGER NOT NULL REFERENCES contests,
        number INTEGER NOT NULL,
        intervention TEXT NOT NULL,
        PRIMARY KEY (contest, number)
    )""",
    # the verdict of the last verification
    """CREATE TABLE verifications (
        contest INTEGER PRIMARY KEY REFERENCES contests,
        date TEXT NOT NULL,
        verdict TEXT NOT NULL
    )""",
)

SCHEMA = Schema(APPLICATION, TABLES)
