"""Records, their signatures and keys, and the lock of a data directory."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from trio.testing import MockClock

from engine.match import verification
from engine.match.signature import NOBODY, THIS_SERVER, public_key, shown, signer
from engine.wire import messages as m
from server.config.keys import public_half, signing_key
from server.contest.export import public_pem
from server.storage.disk import lock_data_directory
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import open_arena, play, ready
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


def test_numbers_of_games_that_are_played_elsewhere_are_given_to_no_others(tmp_path: Path) -> None:
    numbers = RecordStore(tmp_path).numbers
    numbers.skip(12)
    assert numbers.next() == 13
    numbers.skip(5)
    assert numbers.next() == 14


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


@pytest.mark.slow
def test_a_data_directory_has_one_server_at_a_time(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path / "data"):
        with pytest.raises(OSError, match="another server"), lock_data_directory(tmp_path / "data"):
            raise AssertionError("two servers use one directory")
        with lock_data_directory(tmp_path / "other"):
            pass
    with lock_data_directory(tmp_path / "data"):
        pass


@pytest.fixture
def store(tmp_path: Path) -> Callable[[Path], RecordStore]:
    return lambda folder: RecordStore(folder, sign=signing_key(tmp_path).sign)


def signer_of(record_store: RecordStore, match: int, key: Path) -> str:
    text = record_store.read(match)
    assert text is not None and verification.verify(text).result
    return signer(public_half(key), text.encode())


async def test_a_record_is_signed_when_its_match_is_over(
    tmp_path: Path, store: Callable[[Path], RecordStore], autojump_clock: MockClock
) -> None:
    async with open_arena(tmp_path / "data", record_store=store) as harness:
        ann, bob = await harness.pair()
        await ready(ann, bob)
        await play(ann, bob, "a1-b2")
        assert b"signature" not in harness.arena.record_store.journal(1)
        await bob.say(m.Resign())
        await ann.hear(m.Result)
        assert signer_of(harness.arena.record_store, 1, tmp_path) == THIS_SERVER
        await ann.say(m.AskRecord(1))
        lines = (await ann.hear(m.Record)).lines
        text = "".join(f"{line}\n" for line in lines)
        assert signer(public_half(tmp_path), text.encode()) == THIS_SERVER


@pytest.mark.parametrize("torn", ["", "signature ", "signature QwlmvAI/LXo+KloRUUftGu9R3XR"])
async def test_a_record_that_lacks_its_signature_after_a_crash_is_signed(
    tmp_path: Path, store: Callable[[Path], RecordStore], torn: str
) -> None:
    before = RecordStore(tmp_path / "data")
    text = played(end="resign")
    before.begin(7, Keys.of("1" * 64, "2" * 64), text + torn).close()
    async with open_arena(tmp_path / "data", record_store=store) as harness:
        assert signer_of(harness.arena.record_store, 7, tmp_path) == THIS_SERVER
        assert (harness.arena.record_store.read(7) or "").startswith(text)


async def test_a_signature_that_is_there_after_a_crash_stands(
    tmp_path: Path, store: Callable[[Path], RecordStore]
) -> None:
    before = store(tmp_path / "data")
    text = played(end="resign")
    signed = text + before.signature(text.encode())
    before.begin(7, Keys.of("1" * 64, "2" * 64), signed).close()
    async with open_arena(tmp_path / "data", record_store=store) as harness:
        assert harness.arena.record_store.read(7) == signed


def test_a_record_that_was_played_elsewhere_is_signed_here(
    tmp_path: Path, store: Callable[[Path], RecordStore]
) -> None:
    record_store = store(tmp_path / "data")
    record_store.import_record(7, played(end="resign"))
    assert signer_of(record_store, 7, tmp_path) == THIS_SERVER
    unsigned = RecordStore(tmp_path / "other")
    unsigned.import_record(7, played(end="resign"))
    assert signer_of(unsigned, 7, tmp_path) == NOBODY


def test_a_data_directory_has_one_key_and_shows_its_public_half(tmp_path: Path) -> None:
    raw = public_half(tmp_path)
    assert raw == public_half(tmp_path) == public_key(public_pem(signing_key(tmp_path)))
    assert public_key(shown(raw).encode()) == raw
    (tmp_path / "signing-key.pem").write_text("nothing", encoding="ascii")
    with pytest.raises(OSError, match="no private key"):
        public_half(tmp_path)
