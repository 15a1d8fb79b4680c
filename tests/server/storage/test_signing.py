"""Each record of a server is signed when its match is over, whatever happens to the server then."""

from collections.abc import Callable
from pathlib import Path

import pytest
from trio.testing import MockClock

from engine.match import verification
from engine.match.signature import NOBODY, THIS_SERVER, public_key, shown, signer
from engine.wire import messages as m
from server.config.keys import public_half, signing_key
from server.contest.export.archive import public_pem
from server.storage.record_store import Keys, RecordStore
from tests.engine.test_record import played
from tests.server.harness import open_arena, play, ready


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
    with pytest.raises(OSError, match="is no private key of Ed25519"):
        public_half(tmp_path)
