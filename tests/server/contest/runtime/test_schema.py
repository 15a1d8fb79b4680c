import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from server.contest.definition import (
    RoundRobin,
)
from server.contest.fixtures import Finished, Fixture, ProgramUsage
from server.contest.store.definition_text import encode
from server.contest.store.schema import APPLICATION, MIGRATIONS, SCHEMA
from server.contest.store.store import FILE, Store
from server.storage.database import BadStore, Migration, Schema, connect
from tests.server.contest.played import contest

DATE = datetime(2026, 11, 20, 20, 15, 0, 123456, tzinfo=UTC)
LATER = DATE + timedelta(hours=9)
DEFINITION = contest(2, RoundRobin())
FIXTURE = Fixture(0, 1, 0, 0, 0, ("a1", "a2"))


def _schema(*migrations: Migration) -> Schema:
    return SCHEMA._replace(migrations=migrations)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.touch()
    Store(path).close()
    file = sqlite3.connect(path)
    assert file.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert file.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_an_older_store_is_brought_to_this_version_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / FILE
    store = Store(path)
    number = store.open_contest("text", contest(2, RoundRobin()), DATE)
    store.finish(number, Finished(FIXTURE, 3, 0, "line"))
    store.close()
    second = ["ALTER TABLE games ADD COLUMN stars INTEGER NOT NULL DEFAULT 5", "CREATE TABLE more (one)"]
    connection = connect(path, _schema(*MIGRATIONS, second, ["INSERT INTO more VALUES (7)"]))
    assert connection.execute("SELECT termination, stars FROM games").fetchall() == [("line", 5)]
    assert connection.execute("SELECT one FROM more").fetchall() == [(7,)]
    connection.close()
    with pytest.raises(
        BadStore, match=rf"its schema is {len(MIGRATIONS) + 2}, and this one knows those up to {len(MIGRATIONS)}$"
    ):
        Store(path)


def test_a_store_from_before_programs_were_measured_is_brought_to_this_version(tmp_path: Path) -> None:
    path = tmp_path / FILE
    connect(path, _schema(*MIGRATIONS[:4])).close()
    old = sqlite3.connect(path)
    old.execute("INSERT INTO contests VALUES (1, 'c', '', ?, ?, NULL)", (encode(DEFINITION), DATE.isoformat()))
    old.execute("INSERT INTO pairings VALUES (1, 1, 3, 0, 1, 0, 0, 0, 'a1', 'a2', 0)")
    old.execute("INSERT INTO games VALUES (1, 1, 0, 'line', '', 9, 5, 6, 1, 1, 0, 0, 1.5, 'ab')")
    old.commit()
    old.close()
    store = Store(path)
    game = Finished(FIXTURE, 3, 0, "line", "", 9, (5, 6), seconds=1.5)
    assert store.games(1) == [game]
    usage = ProgramUsage(1.5, 2.5, 1 << 20, 0)
    store.save_programs(1, 3, (None, usage))
    assert store.games(1) == [game._replace(programs=(None, usage))]
    store.close()


def test_a_step_that_fails_leaves_the_store_at_the_version_before(tmp_path: Path) -> None:
    path = tmp_path / FILE
    Store(path).close()
    with pytest.raises(BadStore, match="cannot be read or written"):
        connect(path, _schema(*MIGRATIONS, ["CREATE TABLE more (one)", "CREATE TABLE more (one)"]))
    store = Store(path)
    assert store.contests() == []
    store.close()
    tables = sqlite3.connect(path).execute("SELECT name FROM sqlite_schema WHERE name = 'more'").fetchall()
    assert tables == []


def test_files_that_are_no_store_are_refused_in_a_sentence_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text("This is a shopping list, not a database.\n" * 50)
    with pytest.raises(BadStore, match="is no database, or a damaged one"):
        Store(path)
    assert path.read_text().startswith("This is a shopping list")
    path.unlink()
    stranger = sqlite3.connect(path)
    stranger.execute("CREATE TABLE shopping (item)")
    stranger.close()
    with pytest.raises(BadStore, match="database of another program"):
        Store(path)
    with pytest.raises(BadStore, match="cannot be opened"):
        Store(tmp_path / "missing" / FILE)


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE
    store = Store(path)
    number = store.open_contest("text", contest(2, RoundRobin()), DATE)
    for match in range(200):
        store.finish(number, Finished(FIXTURE, match, 0, "line", "x" * 100))
    store.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\x00" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(BadStore, match="damaged"):
        Store(path)


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    for attempt in range(20):
        path = tmp_path / f"{attempt}.sqlite3"
        faults: list[str] = []
        barrier = Barrier(8)

        def connect_and_close(path: Path = path, faults: list[str] = faults, barrier: Barrier = barrier) -> None:
            barrier.wait()
            try:
                connect(path, SCHEMA).close()
            except BadStore as error:
                faults.append(str(error))

        threads = [Thread(target=connect_and_close) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
