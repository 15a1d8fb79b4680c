"""The database of the league, ``league.sqlite3`` in the data directory: its tables.

Secrets are stored as SHA-256: a reader of the file cannot sign in with them.
"""

from server.storage.database import Schema

FILE = "league.sqlite3"
"""Name of the database in the data directory."""

APPLICATION = 0x41524C47
"""Tells the file from databases of other programs: ARLG."""

TABLES = (
    # closed is NULL while the account is open
    """CREATE TABLE people (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        role TEXT NOT NULL,
        made TEXT NOT NULL,
        closed TEXT
    )""",
    # person is NULL for a code, whose guests choose their names; uses counts the remaining guests
    """CREATE TABLE invitations (
        hash TEXT PRIMARY KEY,
        person INTEGER REFERENCES people,
        role TEXT NOT NULL,
        uses INTEGER NOT NULL CHECK (uses >= 0),
        expires TEXT NOT NULL
    )""",
    """CREATE INDEX invitations_of ON invitations (person)""",
    """CREATE TABLE browsers (
        id INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        person INTEGER NOT NULL REFERENCES people,
        began TEXT NOT NULL
    )""",
    """CREATE INDEX browsers_of ON browsers (person)""",
    # token is empty where it was revoked
    """CREATE TABLE bots (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        owner INTEGER NOT NULL REFERENCES people,
        made TEXT NOT NULL,
        token TEXT NOT NULL
    )""",
    """CREATE INDEX bots_of ON bots (owner)""",
    """CREATE TABLE audit (
        id INTEGER PRIMARY KEY,
        date TEXT NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL
    )""",
    # versions of bots; sentence is the reason of a refusal, command is JSON
    """CREATE TABLE versions (
        id INTEGER PRIMARY KEY,
        bot INTEGER NOT NULL REFERENCES bots,
        number INTEGER NOT NULL,
        received TEXT NOT NULL,
        file TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        state TEXT NOT NULL,
        sentence TEXT NOT NULL,
        command TEXT NOT NULL,
        UNIQUE (bot, number)
    )""",
    """CREATE INDEX versions_by_state ON versions (state)""",
    """CREATE UNIQUE INDEX one_active ON versions (bot) WHERE state = 'active'""",
    # the secret that signs cookies and forms
    """CREATE TABLE secrets (purpose TEXT PRIMARY KEY, secret BLOB NOT NULL)""",
    # present and former players of the ladder, with the rating of the present version; last is NULL before the first
    # game, failures counts failures in a row, and rests has the reason why it does not play
    """CREATE TABLE ladder_players (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        owner TEXT NOT NULL,
        version INTEGER NOT NULL,
        elo REAL NOT NULL,
        deviation REAL NOT NULL,
        games INTEGER NOT NULL,
        last REAL,
        failures INTEGER NOT NULL,
        rests TEXT NOT NULL
    )""",
    # the first moment of each version, the game before it, and its first rating
    """CREATE TABLE ladder_versions (
        id INTEGER PRIMARY KEY,
        player TEXT NOT NULL COLLATE NOCASE,
        version INTEGER NOT NULL,
        after INTEGER NOT NULL,
        began REAL NOT NULL,
        elo REAL NOT NULL,
        deviation REAL NOT NULL
    )""",
    """CREATE INDEX ladder_versions_of ON ladder_versions (player)""",
    # ratings after each result of the ladder: number is the number of the result in the store of contests, and score is
    # NULL if the game rates nobody
    """CREATE TABLE ladder_games (
        number INTEGER PRIMARY KEY,
        variant TEXT NOT NULL,
        first TEXT NOT NULL COLLATE NOCASE,
        second TEXT NOT NULL COLLATE NOCASE,
        first_version INTEGER NOT NULL,
        second_version INTEGER NOT NULL,
        score REAL CHECK (score IN (0, 0.5, 1)),
        ended REAL NOT NULL,
        first_elo REAL NOT NULL,
        first_deviation REAL NOT NULL,
        second_elo REAL NOT NULL,
        second_deviation REAL NOT NULL
    )""",
    """CREATE INDEX ladder_games_of_first ON ladder_games (first, number)""",
    """CREATE INDEX ladder_games_of_second ON ladder_games (second, number)""",
    """CREATE INDEX ladder_games_by_date ON ladder_games (ended)""",
    # announcements of organisers, shown until they end
    """CREATE TABLE announcements (
        id INTEGER PRIMARY KEY,
        made TEXT NOT NULL,
        who TEXT NOT NULL,
        text TEXT NOT NULL,
        ends TEXT NOT NULL
    )""",
    # grades of everybody by a rule, as JSON; contest is 0 for none
    """CREATE TABLE grades (
        id INTEGER PRIMARY KEY,
        date TEXT NOT NULL,
        who TEXT NOT NULL,
        rule TEXT NOT NULL,
        contest INTEGER NOT NULL,
        found TEXT NOT NULL,
        is_published INTEGER NOT NULL
    )""",
    # contests between two versions of a bot that its author has begun, by their numbers
    """CREATE TABLE comparisons (contest INTEGER PRIMARY KEY, bot INTEGER NOT NULL REFERENCES bots)""",
)

SCHEMA = Schema(APPLICATION, TABLES)
