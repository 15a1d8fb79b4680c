"""The store of contests: a SQLite database next to the records, from which contests continue after a crash.

What has been kept when a method returns survives a kill of the process. Contests, results, interventions and
verifications survive a power cut too, with all that was kept before them; the rest takes a `Store.sync` for that. Dates
have to have a time zone; they come back in UTC. All methods raise `BadStore` where the file cannot be read or written
any more.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.games.outcome import ANNULLED
from server.contest.definition import Definition
from server.contest.fixtures import Fixture, GameResult, Programs, ProgramUsage
from server.contest.interventions import Intervention, Kind
from server.contest.report.structure import Pause
from server.contest.scoring.results import effective_results, with_commands
from server.contest.store.schema import (
    SCHEMA,
    date_text,
    definition_text,
    placeholders,
    read_date,
    read_definition,
    read_fixture,
    read_result,
)
from server.contest.store.verification import Verdict
from server.storage.database import BadStore, connect, guarded, snapshot, transaction
from server.storage.disk import Disk

FILE = "arena.sqlite3"
"""Name of the store in the data directory."""

_FIXTURE = "stage, round, variant, pair, opening, first, second"

_RESULT = (
    "winner, termination, detail, plies, first_used, second_used, first_ready, second_ready, first_gone, second_gone, "
    "seconds"
)


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
        """Open or create a store, or make a ``copy`` in memory of an existing one. Raises `BadStore`.

        Damage is looked for in a copy, and with ``check``.
        """
        self._path = path
        self._disk = Disk()
        none = f"no contest was held in {path.parent}"
        self._connection = snapshot(path, SCHEMA, none) if copy else connect(path, SCHEMA, check=check)

    def close(self) -> None:
        """Close the file; nothing else may be called then."""
        self._connection.close()

    def open_contest(self, file: str, definition: Definition, date: datetime) -> int:
        """Return the number of the contest with the name of the definition; open it if there is none.

        One that is there goes on, by the definition with which it was opened, where either the text of the contest
        file or the definition is the same; raises `BadStore` where both are others.
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
            contest = self._run(
                "INSERT INTO contests (name, file, definition, opened) VALUES (?, ?, ?, ?)",
                definition.name, file, text, date_text(date),
            ).lastrowid  # fmt: skip
            assert contest is not None
            for place, entrant in enumerate(definition.entrants):
                command = msgspec.json.encode(entrant.command).decode()
                self._run(
                    "INSERT INTO entrants VALUES (?, ?, ?, ?, ?)", contest, place, entrant.name, command, entrant.token
                )
            return contest

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
        """Return all contests in the order in which they were opened."""
        rows = self._rows("SELECT id, name, opened, closed FROM contests ORDER BY id")
        return [Contest(id, name, read_date(opened), closed and read_date(closed)) for id, name, opened, closed in rows]

    def contest(self, contest: int) -> Contest:
        """Return a contest; raises KeyError where there is none."""
        for row in self.contests():
            if row.id == contest:
                return row
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
        with guarded(self._path):
            row = self._row("SELECT file, definition FROM contests WHERE id = ?", contest)
        if row is None:
            raise KeyError(contest)
        try:
            return row[0], read_definition(row[1])
        except msgspec.DecodeError as error:
            raise BadStore(f"{self._path} is damaged: contest {contest} has no readable definition: {error}") from None

    def interventions(self, contest: int) -> tuple[Intervention, ...]:
        """Return what the organiser has changed in a contest, in order."""
        rows = self._rows(
            "SELECT number, date, kind, name, match, command, stage, round, folder, version, sha256 FROM interventions "
            "WHERE contest = ? ORDER BY number",
            contest,
        )
        return tuple(
            Intervention(number, read_date(date), Kind(kind), name, match, tuple(json.loads(command)), *rest)
            for number, date, kind, name, match, command, *rest in rows
        )

    def intervene(self, contest: int, make: Callable[[int], Intervention]) -> Intervention:
        """Save an intervention, which ``make`` makes from its number, in one transaction with what it reads here.

        Nothing is kept where it raises something.
        """
        with self._transaction(synced=True):
            done = make(self._count(contest) + 1)
            self._run(
                f"INSERT INTO interventions VALUES ({placeholders(12)})",
                contest, done.number, date_text(done.date), str(done.kind), done.name, done.match,
                json.dumps(done.command), done.stage, done.round, done.folder, done.version, done.sha256,
            )  # fmt: skip
            return done

    def fixtures(self, contest: int) -> dict[int | None, list[Fixture]]:
        """Return the fixtures of all games that have begun or were lost without being played, by match."""
        found: dict[int | None, list[Fixture]] = {}
        for match, *values in self._rows(f"SELECT match, {_FIXTURE} FROM pairings WHERE contest = ?", contest):
            found.setdefault(match, []).append(read_fixture(values))
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
        rows = self._rows("SELECT number, began FROM stages WHERE contest = ? ORDER BY number", contest)
        return {number: read_date(began) for number, began in rows}

    def begin(self, contest: int, fixture: Fixture, match: int, interventions: int = 0) -> bool:
        """Save the fixture of a match before it begins; doing so again changes nothing.

        False, and nothing is kept, where there are more interventions than the caller knows: the fixture may not be
        due any more. Raises ValueError where the match plays another one.
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
                "DELETE FROM pairings WHERE contest = ? AND match = ? AND id NOT IN (SELECT pairing FROM games)",
                contest, match,
            )  # fmt: skip

    def begun(self, contest: int) -> dict[int, Fixture]:
        """Return the matches that have begun and have no result yet, in order."""
        rows = self._rows(
            f"SELECT match, {_FIXTURE} FROM pairings "
            "WHERE contest = ? AND match IS NOT NULL AND id NOT IN (SELECT pairing FROM games) ORDER BY match",
            contest,
        )
        return {match: read_fixture(values) for match, *values in rows}

    def finish(self, contest: int, finished: GameResult, record: str = "") -> int:
        """Save a result, also of a match that was not saved before, and of a game that was not played.

        Returns how many interventions there were when the game began.

        The first result of a match stands, and of those of a fixture that was not played and nobody has intervened
        since. ``record`` is the SHA-256 of the record, in hexadecimal; that one has to be on the disk before. Raises
        ValueError where the match plays another fixture.
        """
        with self._transaction(synced=True):
            pairing = self._pairing(contest, finished.fixture, finished.match, finished.interventions)
            self._run(
                f"INSERT INTO games (pairing, {_RESULT}, record_sha256) VALUES ({placeholders(13)}) "
                "ON CONFLICT (pairing) DO NOTHING",
                pairing, finished.winner, finished.termination, finished.detail, finished.plies,
                *finished.used, *finished.ready, *finished.gone, finished.seconds, record,
            )  # fmt: skip
            self._keep_programs(pairing, finished.programs)
            return int(self._row("SELECT interventions FROM pairings WHERE id = ?", pairing)[0])

    def save_programs(self, contest: int, match: int, programs: Programs) -> None:
        """Save the resource usage of the programs of a match with a result; ignore other matches."""
        with self._transaction():
            row = self._row(
                "SELECT pairing FROM games JOIN pairings ON pairings.id = games.pairing "
                "WHERE contest = ? AND match = ?",
                contest, match,
            )  # fmt: skip
            if row is not None:
                self._keep_programs(row[0], programs)

    def _keep_programs(self, pairing: int, programs: Programs) -> None:
        """Save the resource usage of programs; existing values stand."""
        for side, usage in enumerate(programs):
            if usage is not None:
                self._run(f"INSERT OR IGNORE INTO programs VALUES ({placeholders(6)})", pairing, side, *usage)

    def failed(self, contest: int, fixture: Fixture) -> None:
        """Count a failed attempt to play a game."""
        with self._transaction():
            self._run(
                f"INSERT INTO failures (contest, {_FIXTURE}, number) VALUES ({placeholders(8)}, 1) "
                "ON CONFLICT DO UPDATE SET number = number + 1",
                contest, *fixture[:-1], *fixture.players,
            )  # fmt: skip

    def failures(self, contest: int) -> dict[Fixture, int]:
        """Return the numbers of failed attempts by game."""
        rows = self._rows(f"SELECT number, {_FIXTURE} FROM failures WHERE contest = ?", contest)
        return {read_fixture(values): number for number, *values in rows}

    def pause(self, contest: int, reason: str, date: datetime) -> None:
        """Save the beginning of a pause, and end one that lasts."""
        with self._transaction():
            self._end_pause(contest, date)
            self._run("INSERT INTO pauses (contest, began, reason) VALUES (?, ?, ?)", contest, date_text(date), reason)

    def end_pause(self, contest: int, date: datetime) -> None:
        """Save the end of a pause."""
        with self._transaction():
            self._end_pause(contest, date)

    def _end_pause(self, contest: int, date: datetime) -> None:
        self._run("UPDATE pauses SET ended = ? WHERE contest = ? AND ended IS NULL", date_text(date), contest)

    def pauses(self, contest: int) -> list[Pause]:
        """Return when and why a contest paused, in order."""
        rows = self._rows("SELECT began, ended, reason FROM pauses WHERE contest = ? ORDER BY id", contest)
        return [Pause(read_date(began), ended and read_date(ended), reason) for began, ended, reason in rows]

    def games(self, contest: int) -> list[GameResult]:
        """Return all results in the order in which they were saved, with those of annulled matches.

        They are as the organiser's interventions have left them: `results` has them as they came about.
        """
        results = self.results(contest)
        return effective_results(self.definition(contest), results) if results else []

    def results(self, contest: int) -> list[GameResult]:
        """Return all results without the effects of interventions."""
        rows = self._rows(
            f"SELECT {_FIXTURE}, match, interventions, {_RESULT}, pairing "
            "FROM games JOIN pairings ON pairings.id = games.pairing WHERE contest = ? ORDER BY games.id",
            contest,
        )
        programs = {
            (pairing, side): ProgramUsage(*usage)
            for pairing, side, *usage in self._rows(
                "SELECT programs.* FROM programs JOIN pairings ON pairings.id = programs.pairing WHERE contest = ?",
                contest,
            )
        }
        return [
            read_result(row)._replace(programs=(programs.get((pairing, 0)), programs.get((pairing, 1))))
            for *row, pairing in rows
        ]

    def records(self, contest: int) -> dict[int, str]:
        """Return the SHA-256 of records, as they were when their results were saved, by match; empty if unknown."""
        rows = self._rows(
            "SELECT match, record_sha256 FROM games JOIN pairings ON pairings.id = games.pairing "
            "WHERE contest = ? AND match IS NOT NULL",
            contest,
        )
        return dict(rows)

    def kept_matches(self) -> set[int]:
        """Return the numbers of the matches of contests that are not over whose results count."""
        rows = self._rows(
            "SELECT match, termination FROM games JOIN pairings ON pairings.id = games.pairing "
            "JOIN contests ON contests.id = pairings.contest WHERE match IS NOT NULL AND closed IS NULL"
        )
        return {match for match, termination in rows if termination not in ANNULLED}

    def known_matches(self) -> set[int]:
        """Return the numbers of all matches of all contests, whether they have results or not."""
        return {row[0] for row in self._rows("SELECT match FROM pairings WHERE match IS NOT NULL")}

    def save_verification(self, contest: int, date: datetime, verdict: Verdict) -> None:
        """Save the verdict of a verification, and replace an earlier one."""
        with self._transaction(synced=True):
            self._run(
                "INSERT OR REPLACE INTO verifications VALUES (?, ?, ?, ?, ?)",
                contest, date_text(date), verdict.games, verdict.trusted, json.dumps(list(verdict.differences)),
            )  # fmt: skip

    def verification(self, contest: int) -> Verdict | None:
        """Return the verdict of the last verification; None if there was none."""
        rows = self._rows("SELECT games, trusted, differences FROM verifications WHERE contest = ?", contest)
        return next((Verdict(games, trusted, tuple(json.loads(text))) for games, trusted, text in rows), None)

    def _pairing(self, contest: int, fixture: Fixture, match: int | None, interventions: int) -> int:
        """Return the number of a pairing, which is saved if it is new."""
        values = (*fixture[:-1], *fixture.players)
        if match is None:
            where = "match IS NULL AND stage = ? AND round = ? AND variant = ? AND pair = ? AND opening = ?"
            row = self._row(
                f"SELECT id FROM pairings WHERE contest = ? AND {where} AND first = ? AND second = ? "
                "AND interventions = ?",
                contest, *values, interventions,
            )  # fmt: skip
        else:
            row = self._row(f"SELECT id, {_FIXTURE} FROM pairings WHERE contest = ? AND match = ?", contest, match)
            if row is not None and read_fixture(row[1:]) != fixture:
                raise ValueError(f"match {match} plays {read_fixture(row[1:])}, and not {fixture}")
        if row is not None:
            return int(row[0])
        insert = f"INSERT INTO pairings (contest, match, {_FIXTURE}, interventions) VALUES ({placeholders(10)})"
        number = self._run(insert, contest, match, *values, interventions).lastrowid
        assert number is not None
        return number

    def sync(self) -> None:
        """Sync the write-ahead log to the disk; raises OSError. For any thread."""
        log = self._path.with_name(f"{self._path.name}-wal")
        with suppress(FileNotFoundError):
            self._disk.sync(log)

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
