"""Records, keys and the lock of a data directory."""

import os
from pathlib import Path

import pytest

from server.storage.disk import lock_data_directory
from server.storage.record_store import Keys, RecordStore
from tests.server.storage.test_power import sync_round

KEYS = Keys.of("ann's", "bob's")


def test_keys_are_kept_of_the_matches_that_ended_last_after_a_restart_too(tmp_path: Path) -> None:
    """A long match ends behind many that began after it; its players may still have to be told how."""
    record_store = RecordStore(tmp_path, recent=2)
    journals = {match: record_store.begin(match, KEYS, "head\n") for match in (1, 2, 3)}
    for second, match in enumerate((2, 3, 1)):
        journals[match].finish()
        os.utime(tmp_path / "records" / f"{match}.txt", (second, second))
    sync_round(record_store)
    assert [match for match in (1, 2, 3) if record_store.keys(match)] == [1, 3]
    record_store = RecordStore(tmp_path, recent=2)
    record_store.begin(4, KEYS, "head\n").finish()
    sync_round(record_store)
    assert [match for match in (1, 2, 3, 4) if record_store.keys(match)] == [1, 4]


def test_no_record_is_written_over(tmp_path: Path) -> None:
    record_store = RecordStore(tmp_path)
    record_store.begin(1, KEYS, "head\n").close()
    with pytest.raises(FileExistsError):
        record_store.begin(1, KEYS, "other\n")
    assert record_store.journal(1) == b"head\n"
    assert record_store.keys(1) == KEYS


def test_a_write_that_fails_half_way_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = RecordStore(tmp_path).begin(1, KEYS, "head\n")
    write = os.write

    def full(file: int, data: bytes) -> int:
        if len(data) < 5:
            raise OSError("no space left on device")
        return write(file, data[:5])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="no space"):
            journal.write("a line of some length\n")
    assert (tmp_path / "running" / "1.txt").read_text() == "head\n"
    journal.write("next\n")
    assert (tmp_path / "running" / "1.txt").read_text() == "head\nnext\n"
    journal.close()


def test_keys_are_hashed_private_and_tell_whose_a_token_is(tmp_path: Path) -> None:
    record_store = RecordStore(tmp_path)
    record_store.begin(1, KEYS, "head\n").close()
    path = tmp_path / "keys" / "1.txt"
    assert "ann's" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    keys = RecordStore(tmp_path).keys(1)
    assert keys == KEYS
    assert [keys.side_of(token) for token in ("ann's", "bob's", "carol's", "")] == [0, 1, None, None]
    for damaged in (b"", b"\xff", b"0" * 64, (b"g" * 64 + b"\n") * 2):
        path.write_bytes(damaged)
        assert record_store.keys(1) is None
    assert record_store.keys(2) is None


def test_a_data_directory_has_one_server_at_a_time(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path / "data"):
        with (
            pytest.raises(OSError, match="another server uses the data directory"),
            lock_data_directory(tmp_path / "data"),
        ):
            raise AssertionError("two servers use one directory")
        with lock_data_directory(tmp_path / "other"):
            pass
    with lock_data_directory(tmp_path / "data"):
        pass
