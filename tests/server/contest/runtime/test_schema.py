import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread

import pytest

from server.contest.fixtures import GameResult
from server.contest.formats.round_robin import RoundRobin
from server.contest.store.store import APPLICATION, FILE, SCHEMA, TABLES, Store
from server.league.accounts.accounts import Accounts
from server.league.database import FILE as LEAGUE
from server.storage import database
from server.storage.database import BadStore, connect
from tests.server.contest.played import contest
from tests.server.contest.runtime.test_store import DATE, FIXTURE


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.touch()
    Store(path).close()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (1,)
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert file.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


@pytest.mark.parametrize("version", [2, 7])
def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    path = tmp_path / FILE
    with closing(connect(path, SCHEMA)) as store:
        store.execute(f"PRAGMA user_version = {version}")
    written = path.read_bytes()
    with pytest.raises(BadStore, match=rf"another version of arena-server: its schema is {version}, this one reads 1$"):
        Store(path)
    assert path.read_bytes() == written


def test_a_statement_that_fails_leaves_no_tables(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with pytest.raises(BadStore, match="cannot be read or written"):
        connect(path, SCHEMA._replace(tables=(*TABLES, "CREATE TABLE contests (one)")))
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    store = Store(path)
    assert store.contests() == []
    store.close()


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
        store.finish(number, GameResult(FIXTURE, match, 0, "line", "x" * 100))
    store.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\x00" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(BadStore, match="damaged"):
        Store(path, check=True)
    with pytest.raises(BadStore, match="damaged"):
        Store(path, copy=True)


def test_damage_is_looked_for_once_and_not_whenever_a_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server opens its databases each second; to read all of a term's results takes as long."""
    looked: list[Path] = []
    monkeypatch.setattr(database, "_check", lambda _, path: looked.append(path))
    for times in range(3):
        Store(tmp_path / FILE, check=times == 0).close()
        Accounts(tmp_path, check=times == 0).close()
    assert looked == [tmp_path / FILE, tmp_path / LEAGUE]


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
