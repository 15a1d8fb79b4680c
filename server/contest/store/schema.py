"""The schema of the database of contests, and the migrations from older versions."""

from server.storage.database import Migration, Schema

APPLICATION = 0x41524E41
"""Tells the file from databases of other programs: ARNA."""

MIGRATIONS: tuple[Migration, ...] = (
    (
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
        # match is NULL where a game was not played
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
            UNIQUE (contest, match)
        )""",
        """CREATE UNIQUE INDEX unplayed ON pairings (contest, stage, round, variant, pair, opening, first, second)
            WHERE match IS NULL""",
        # id is the order in which games were over; times are in microseconds
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
            second_gone INTEGER NOT NULL
        )""",
        """CREATE TABLE ratings (
            contest INTEGER NOT NULL REFERENCES contests,
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            elo REAL NOT NULL,
            low REAL NOT NULL,
            high REAL NOT NULL,
            games INTEGER NOT NULL,
            PRIMARY KEY (contest, place)
        )""",
        """CREATE TABLE variant_ratings (
            contest INTEGER NOT NULL REFERENCES contests,
            variant INTEGER NOT NULL,
            advantage REAL NOT NULL,
            draws REAL NOT NULL,
            PRIMARY KEY (contest, variant)
        )""",
    ),
    (
        # how often a game was begun in vain: the server died in it, or something went wrong in the server itself
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
        # times in which nothing went on through a fault that was no entrant's; ended is NULL while one lasts
        """CREATE TABLE pauses (
            id INTEGER PRIMARY KEY,
            contest INTEGER NOT NULL REFERENCES contests,
            began TEXT NOT NULL,
            ended TEXT,
            reason TEXT NOT NULL
        )""",
    ),
    (
        # what the organiser has changed; stage and round are the last of which a game had begun, command is JSON
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
            PRIMARY KEY (contest, number)
        )""",
        # how many interventions there were; a game that was not played can be lost again after one
        "ALTER TABLE pairings ADD COLUMN interventions INTEGER NOT NULL DEFAULT 0",
        "DROP INDEX unplayed",
        """CREATE UNIQUE INDEX unplayed
            ON pairings (contest, stage, round, variant, pair, opening, first, second, interventions)
            WHERE match IS NULL""",
        "ALTER TABLE games ADD COLUMN seconds REAL NOT NULL DEFAULT 0",
    ),
    (
        # of the record as it was when the result was kept; empty where there was none, or an older version kept it
        "ALTER TABLE games ADD COLUMN record_sha256 TEXT NOT NULL DEFAULT ''",
        # what was found when the table was last held against the records; differences are a list in JSON
        """CREATE TABLE verifications (
            contest INTEGER PRIMARY KEY REFERENCES contests,
            date TEXT NOT NULL,
            games INTEGER NOT NULL,
            trusted INTEGER NOT NULL,
            differences TEXT NOT NULL
        )""",
    ),
    (
        # what programs have used in a game, and how they ended; memory is in bytes, and NULL where nobody looked,
        # status is NULL where the server has ended the program
        """CREATE TABLE programs (
            pairing INTEGER NOT NULL REFERENCES pairings,
            side INTEGER NOT NULL CHECK (side IN (0, 1)),
            cpu_seconds REAL NOT NULL,
            wall_seconds REAL NOT NULL,
            memory INTEGER,
            status INTEGER,
            PRIMARY KEY (pairing, side)
        )""",
    ),
    (
        # of the version of a bot that was chosen for an entrant
        "ALTER TABLE interventions ADD COLUMN folder TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE interventions ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
    ),
    (
        # of the file of that version, as its author has sent it
        "ALTER TABLE interventions ADD COLUMN sha256 TEXT NOT NULL DEFAULT ''",
    ),
)
"""Step n leads from version n to n + 1. Those that have been released stay as they are."""

SCHEMA = Schema(APPLICATION, MIGRATIONS)
