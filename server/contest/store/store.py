"""The store of contests: a SQLite database next to the records, from which contests continue after a crash.

Data that a method has saved survive a kill of the process. Contests, results, interventions and
verifications survive a power cut too, with all that was kept before them; the rest takes a `Store.sync` for that. Dates
have to have a time zone; they come back in UTC. All methods raise `BadStore` where the file cannot be read or written
any more.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from engine.games.interface import ANNULLED
from server.contest.definition import Definition, definition_text
from server.contest.fixtures import Fixture, GameResult, Intervention, Programs
from server.contest.report.structure import Pause, Verdict
from server.contest.scoring import effective_results, with_commands
from server.ops.typed_json import decode
from server.storage.database import BadStore, Schema, connect, guarded, snapshot, transaction
from server.storage.disk import Disk

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

Row = TypeVar("Row")

_GAMES = "games JOIN pairings ON pairings.id = games.pairing"

_WITHOUT_RESULT = "NOT EXISTS (SELECT 1 FROM games WHERE pairing = pairings.id)"


class Contest(NamedTuple):
    """A contest of the store."""

    id: int
    name: str
    opened: datetime
    closed: datetime | None
    """None: it is not over."""


class Store:
    """The store of a data directory, open until it is closed. Used by one thread at a time, but not always the same."""

    def __init__(self, path: Path, *, copy: bool = False, check: bool = False) -> None:
        """Open or create a store, or make a temporary ``copy`` of an existing one. Raises `BadStore`.

        Damage is looked for in a copy, and with ``check``.
        """
        self._path = path
        self._disk = Disk()
        self._connection = (
            snapshot(path, SCHEMA, f"no contest was held in {path.parent}")
            if copy
            else connect(path, SCHEMA, check=check)
        )

    def close(self) -> None:
        """Close the file; nothing else may be called then."""
        self._connection.close()

    def open_contest(self, file: str, definition: Definition, date: datetime) -> int:
        """Return the number of the contest with the name of the definition; open it if there is none.

        An open contest goes on by its first definition if the text of the contest file or the definition is the same.
        Raises `BadStore` if both differ.
        """
        text = definition_text(definition)
        with self._transaction(synced=True):
            row = self._row("SELECT id, file, definition FROM contests WHERE name = ?", definition.name)
            if row is not None:
                if file != row[1] and text != row[2]:
                    raise BadStore(
                        f"{self._path} has a contest {definition.name!r} with other rules; to begin a new one, give it "
                        "another name, and to go on with that one, take back what was changed in its file"
                    )
                return int(row[0])
            opened = self._run(
                "INSERT INTO contests (name, file, definition, opened) VALUES (?, ?, ?, ?)",
                definition.name, file, text, date_text(date),
            )  # fmt: skip
            return int(opened.lastrowid or 0)

    def open_ladder(self, definition: Definition, date: datetime) -> None:
        """Begin the ladder, or let it go on by a definition. Earlier variants keep their places: results name them."""
        with self._transaction(synced=True):
            self._run(
                "INSERT INTO contests VALUES (?, ?, '', ?, ?, NULL) ON CONFLICT DO NOTHING",
                LADDER, definition.name, definition_text(definition), date_text(date),
            )  # fmt: skip
            named = {variant.name: variant for variant in definition.variants}
            earlier = [named.pop(one.name, one) for one in self.opened_with(LADDER)[1].variants]
            text = definition_text(replace(definition, variants=(*earlier, *named.values())))
            self._run("UPDATE contests SET definition = ? WHERE id = ?", text, LADDER)

    def redefine(self, contest: int, definition: Definition) -> None:
        """Let a contest go on by another definition of the same entrants, also one that was over."""
        with self._transaction(synced=True):
            self._run(
                "UPDATE contests SET definition = ?, closed = NULL WHERE id = ?", definition_text(definition), contest
            )

    def close_contest(self, contest: int, date: datetime, interventions: int = 0) -> bool:
        """Save the date when a contest was over; the first date stands.

        False, and nothing is kept, where there are more interventions than the caller knows: it may not be over then.
        """
        with self._transaction(synced=True):
            if self._count(contest) != interventions:
                return False
            self._run("UPDATE contests SET closed = ? WHERE id = ? AND closed IS NULL", date_text(date), contest)
            return True

    def contests(self) -> list[Contest]:
        """Return all contests in the order in which they were opened, without the ladder."""
        return [
            _contest(*row)
            for row in self._rows("SELECT id, name, opened, closed FROM contests WHERE id != ? ORDER BY id", LADDER)
        ]

    def contest(self, contest: int) -> Contest:
        """Return a contest, or the ladder; raises KeyError where there is none."""
        for row in self._rows("SELECT id, name, opened, closed FROM contests WHERE id = ?", contest):
            return _contest(*row)
        raise KeyError(contest)

    def definition(self, contest: int) -> Definition:
        """Return the definition with which a contest was opened, and the organiser's interventions in it.

        Commands are those that they have given. Raises KeyError where there is no such contest.
        """
        return with_commands(replace(self.opened_with(contest)[1], interventions=self.interventions(contest)))

    def opened_with(self, contest: int) -> tuple[str, Definition]:
        """Return the text of the file with which a contest was opened, and its definition without interventions.

        Raises KeyError where there is no such contest.
        """
        for file, text in self._rows("SELECT file, definition FROM contests WHERE id = ?", contest):
            return file, replace(self._read(text, Definition), interventions=())
        raise KeyError(contest)

    def interventions(self, contest: int) -> tuple[Intervention, ...]:
        """Return what the organiser has changed in a contest, in order."""
        query = "SELECT intervention FROM interventions WHERE contest = ? ORDER BY number"
        return tuple(self._read_all(Intervention, query, contest))

    def intervene(self, contest: int, make: Callable[[int], Intervention]) -> Intervention:
        """Save an intervention, which ``make`` makes from its number, in one transaction with what it reads here.

        Nothing is kept where it raises something.
        """
        with self._transaction(synced=True):
            done = make(self._count(contest) + 1)
            text = _json(done._replace(date=done.date.astimezone(UTC)))
            self._run("INSERT INTO interventions VALUES (?, ?, ?)", contest, done.number, text)
            return done

    def fixtures(self, contest: int) -> dict[int | None, list[Fixture]]:
        """Return the fixtures of all games that have begun or were lost without being played, by match."""
        found: dict[int | None, list[Fixture]] = {}
        for match, text in self._rows("SELECT match, fixture FROM pairings WHERE contest = ?", contest):
            found.setdefault(match, []).append(self._read(text, Fixture))
        return found

    def _count(self, contest: int) -> int:
        """Return how many interventions there are."""
        return int(self._run("SELECT count(*) FROM interventions WHERE contest = ?", contest).fetchone()[0])

    def stage_began(self, contest: int, number: int, date: datetime) -> None:
        """Save the date when a stage began; the first date stands."""
        with self._transaction():
            self._run("INSERT INTO stages VALUES (?, ?, ?) ON CONFLICT DO NOTHING", contest, number, date_text(date))

    def stages(self, contest: int) -> dict[int, datetime]:
        """Return when each stage began."""
        return {
            number: read_date(began)
            for number, began in self._rows(
                "SELECT number, began FROM stages WHERE contest = ? ORDER BY number", contest
            )
        }

    def begin(self, contest: int, fixture: Fixture, match: int, interventions: int = 0) -> bool:
        """Save the fixture of a match before it begins; doing so again changes nothing.

        False, and nothing is kept, where there are more interventions than the caller knows: the fixture may not be
        due any more.
        """
        with self._transaction():
            if self._count(contest) != interventions:
                return False
            self._pairing(contest, fixture, match, interventions)
            return True

    def last_match(self) -> int:
        """Return the highest number that a match of any contest has, 0 where there is none."""
        return int(self._rows("SELECT coalesce(max(match), 0) FROM pairings")[0][0])

    def forget(self, contest: int, match: int) -> None:
        """Delete a match that did not begin; one with a result stays."""
        with self._transaction():
            self._run(
                f"DELETE FROM pairings WHERE contest = ? AND match = ? AND {_WITHOUT_RESULT}",
                contest, match,
            )  # fmt: skip

    def begun(self, contest: int) -> dict[int, Fixture]:
        """Return the matches that have begun and have no result yet, in order."""
        return {
            match: self._read(text, Fixture)
            for match, text in self._rows(
                "SELECT match, fixture FROM pairings "
                f"WHERE contest = ? AND match IS NOT NULL AND {_WITHOUT_RESULT} ORDER BY match",
                contest,
            )
        }

    def finish(self, contest: int, finished: GameResult, record: str = "") -> int:
        """Save a result, also of a match that was not saved before, and of a game that was not played.

        Returns how many interventions there were when the game began.

        The first result of a match stands, and of those of a fixture that was not played and nobody has intervened
        since. ``record`` is the SHA-256 of the record, in hexadecimal; that one has to be on the disk before.
        """
        with self._transaction(synced=True):
            pairing, interventions = self._pairing(contest, finished.fixture, finished.match, finished.interventions)
            self._run(
                "INSERT INTO games (pairing, result, record_sha256) VALUES (?, ?, ?) ON CONFLICT (pairing) DO NOTHING",
                pairing, _json(finished._replace(interventions=interventions)), record,
            )  # fmt: skip
            return interventions

    def save_programs(self, contest: int, match: int, programs: Programs) -> None:
        """Save the resource usage of the programs of a match with a result; values that are there stand."""
        with self._transaction():
            found = self._run(f"SELECT games.id, result FROM {_GAMES} WHERE contest = ? AND match = ?", contest, match)
            for number, text in found.fetchall():
                game = self._read(text, GameResult)
                first, second = (kept or new for kept, new in zip(game.programs, programs, strict=True))
                changed = game._replace(programs=(first, second))
                self._run("UPDATE games SET result = ? WHERE id = ?", _json(changed), number)

    def failed(self, contest: int, fixture: Fixture) -> None:
        """Count a failed attempt to play a game."""
        with self._transaction():
            counted = "INSERT INTO failures VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET number = number + 1"
            self._run(counted, contest, _json(fixture))

    def failures(self, contest: int) -> dict[Fixture, int]:
        """Return the numbers of failed attempts by game."""
        return {
            self._read(text, Fixture): number
            for text, number in self._rows("SELECT fixture, number FROM failures WHERE contest = ?", contest)
        }

    def save_pause(self, contest: int, pause: Pause) -> None:
        """Save the beginning of a pause, and end one that lasts; or save its end."""
        self.end_pause(contest, pause.ended or pause.began)
        if pause.ended is None:
            with self._transaction():
                insert = "INSERT INTO pauses (contest, began, reason) VALUES (?, ?, ?)"
                self._run(insert, contest, date_text(pause.began), pause.reason)

    def end_pause(self, contest: int, date: datetime) -> None:
        """Save the end of a pause."""
        with self._transaction():
            self._run("UPDATE pauses SET ended = ? WHERE contest = ? AND ended IS NULL", date_text(date), contest)

    def pauses(self, contest: int) -> list[Pause]:
        """Return when and why a contest paused, in order."""
        return [
            Pause(read_date(began), ended and read_date(ended), reason)
            for began, ended, reason in self._rows(
                "SELECT began, ended, reason FROM pauses WHERE contest = ? ORDER BY id", contest
            )
        ]

    def games(self, contest: int) -> list[GameResult]:
        """Return all results in the order in which they were saved, with those of annulled matches.

        They are as the organiser's interventions have left them: `results` has them as they came about.
        """
        results = self.results(contest)
        return effective_results(self.definition(contest), results) if results else []

    def results(self, contest: int) -> list[GameResult]:
        """Return all results without the effects of interventions."""
        return self._read_all(GameResult, f"SELECT result FROM {_GAMES} WHERE contest = ? ORDER BY games.id", contest)

    def records(self, contest: int) -> dict[int, str]:
        """Return the SHA-256 of records, as they were when their results were saved, by match; empty if unknown."""
        query = f"SELECT match, record_sha256 FROM {_GAMES} WHERE contest = ? AND match IS NOT NULL"
        return dict(self._rows(query, contest))

    def results_after(self, contest: int, number: int, most: int) -> list[tuple[int, GameResult]]:
        """Return results with their numbers, which grow in the order of saving: those after a number, at most ``most``.

        All later results of all contests are looked through.
        """
        return [
            (number, self._read(text, GameResult))
            for number, text in self._rows(
                "SELECT games.id, result FROM games CROSS JOIN pairings ON pairings.id = games.pairing "
                "WHERE contest = ? AND games.id > ? ORDER BY games.id LIMIT ?",
                contest,
                number,
                most,
            )
        ]

    def result(self, number: int) -> GameResult:
        """Return the result with a number; raises KeyError where there is none."""
        for result in self._read_all(GameResult, "SELECT result FROM games WHERE id = ?", number):
            return result
        raise KeyError(number)

    def last_result(self) -> int:
        """Return the number of the last result of all contests, 0 where there is none."""
        return int(self._rows("SELECT coalesce(max(id), 0) FROM games")[0][0])

    def kept_matches(self, matches: Iterable[int]) -> set[int]:
        """Return which of these matches have results that count, in contests that are not over."""
        is_open = "contest IN (SELECT id FROM contests WHERE closed IS NULL)"
        query = f"SELECT result FROM {_GAMES} WHERE {is_open} AND match = ?"
        results = (result for match in matches for result in self._read_all(GameResult, query, match))
        return {result.match for result in results if result.match and result.termination not in ANNULLED}

    def known_matches(self) -> set[int]:
        """Return the numbers of all matches of all contests, whether they have results or not."""
        return {row[0] for row in self._rows("SELECT match FROM pairings WHERE match IS NOT NULL")}

    def save_verification(self, contest: int, date: datetime, verdict: Verdict) -> None:
        """Save the verdict of a verification, and replace an earlier one."""
        with self._transaction(synced=True):
            text = _json(verdict._replace(unproven=()))
            self._run("INSERT OR REPLACE INTO verifications VALUES (?, ?, ?)", contest, date_text(date), text)

    def verification(self, contest: int) -> Verdict | None:
        """Return the verdict of the last verification; None if there was none."""
        return next(iter(self._read_all(Verdict, "SELECT verdict FROM verifications WHERE contest = ?", contest)), None)

    def _pairing(self, contest: int, fixture: Fixture, match: int | None, interventions: int) -> tuple[int, int]:
        """Return the number of a pairing, which is saved if it is new, and how many interventions were before it."""
        text = _json(fixture)
        same = "match = ?1" if match is not None else "match IS NULL AND fixture = ?2 AND interventions = ?3"
        query = f"SELECT id, interventions FROM pairings WHERE contest = ?4 AND {same}"
        insert = "INSERT INTO pairings (match, fixture, interventions, contest) VALUES (?, ?, ?, ?)"
        values = match, text, interventions, contest
        known: tuple[int, int] | None = self._row(query, *values)
        return known or (int(self._run(insert, *values).lastrowid or 0), interventions)

    def sync(self) -> None:
        """Sync the write-ahead log to the disk; raises OSError. For any thread."""
        with suppress(FileNotFoundError):
            self._disk.sync(self._path.with_name(f"{self._path.name}-wal"))

    @contextmanager
    def _transaction(self, *, synced: bool = False) -> Iterator[None]:
        with guarded(self._path), transaction(self._connection, synced=synced):
            yield

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def _row(self, query: str, *values: Any) -> Any:
        return self._run(query, *values).fetchone()

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with guarded(self._path):
            return self._run(query, *values).fetchall()

    def _read_all(self, kind: type[Row], query: str, *values: Any) -> list[Row]:
        """Read the values of the only column of a query."""
        return [self._read(text, kind) for (text,) in self._rows(query, *values)]

    def _read(self, text: str, kind: type[Row]) -> Row:
        """Read a value of a row."""
        try:
            return decode(text, type=kind)
        except msgspec.DecodeError as error:
            raise BadStore(f"{self._path} is damaged: it has no readable {kind.__name__}: {error}") from None


def _contest(id: int, name: str, opened: str, closed: str | None) -> Contest:
    return Contest(id, name, read_date(opened), None if closed is None else read_date(closed))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def date_text(date: datetime) -> str:
    """Return a date as it is stored."""
    return date.astimezone(UTC).isoformat()


def read_date(text: str) -> datetime:
    """Return a date that was stored."""
    return datetime.fromisoformat(text)
