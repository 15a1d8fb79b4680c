"""A backup of a data directory in use is what a crash at that moment would have left, and a server goes on from it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from engine.wire import messages as m
from server.commands.administration import _matches
from server.contest.fixtures import Fixture
from server.contest.report.structure import Verdict
from server.contest.store.store import FILE, Store
from server.contest.store.verifier import verify
from server.league.accounts import AUTHOR, Accounts
from server.storage import backup
from server.storage.backup import COMPLETE, BadBackup, back_up, restore
from server.storage.database import BadStore, copy_database
from server.storage.disk import boot
from server.storage.record_store import NUMBERS, Keys, RecordStore
from tests.server.conftest import Run
from tests.server.contest.runtime.test_verify_process import held
from tests.server.harness import open_arena, play, playing

__all__ = ["held"]

NOW = datetime(2026, 11, 23, tzinfo=UTC)
FIXTURE = Fixture(0, 1, 0, 0, 0, ("ann", "bob"))


def _back_up(data: Path, to: Path) -> None:
    back_up(data, to, NOW, _matches, FILE)


@pytest.mark.slow
def test_what_was_backed_up_in_use_is_true_when_restored(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    records = RecordStore(data)
    running = records.numbers.next()
    (data / NUMBERS).write_text(f"1000 {boot()}\n", encoding="ascii")  # as a running server has reserved them
    records.begin(running, Keys.of("one", "other"), "a journal that grows\n")
    with closing(Store(data / FILE)), closing(Accounts(data)) as accounts:  # as a server has them open
        accounts.invite("ann", AUTHOR, "test")
        _back_up(data, tmp_path / "backup")
    assert restore(tmp_path / "backup", tmp_path / "restored") > 8
    there = tmp_path / "restored"
    assert verify(there, 1) == Verdict(8, 0, ())
    assert not (there / COMPLETE).exists() and (there / "keys").stat().st_mode & 0o777 == 0o700
    again = RecordStore(there)
    assert again.journal(running) == b"a journal that grows\n" and again.keys(running) == Keys.of("one", "other")
    assert again.numbers.next() == 1001  # others may have been used since
    with closing(Accounts(there)) as accounts:
        assert [one.name for one in accounts.people()] == ["ann"]


def test_versions_of_bots_are_backed_up_with_their_links_and_modes(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    build = data / "submissions" / "ann" / "1" / "build"
    (build / "target").mkdir(parents=True)
    (build / "target" / "bot").write_text("#!/bin/sh\n")
    (build / "target" / "bot").chmod(0o755)
    for link, to in (("bot", "target/bot"), ("folder", "target"), ("nowhere", "gone"), ("outside", "/etc/hosts")):
        (build / link).symlink_to(to)
    _back_up(data, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "restored")
    there = tmp_path / "restored" / "submissions" / "ann" / "1" / "build"
    assert (there / "bot").resolve() == (there / "target" / "bot").resolve() and (there / "bot").stat().st_mode & 0o100
    assert [(there / link).readlink() for link in ("folder", "nowhere", "outside")] == [
        Path("target"), Path("gone"), Path("/etc/hosts"),
    ]  # fmt: skip


def test_a_game_that_begins_or_ends_meanwhile_stands_in_it_once_or_not_at_all(
    held: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    RecordStore(data).begin(98, Keys.of("one", "other"), "head\n")
    copy = copy_database

    def then_more_happens(path: Path, database: sqlite3.Connection) -> None:
        copy(path, database)
        with closing(Store(data / FILE)) as store:
            store.begin(1, FIXTURE, 99)
        shutil.copy(data / "records/1.txt", data / "records/99.txt")

    def and_a_game_ends(path: Path, to: Path, *, linked: bool) -> None:
        copy_file(path, to, linked=linked)
        if path.parent.name == "running":
            path.rename(data / "records" / path.name)

    copy_file = backup._copy
    monkeypatch.setattr(backup, "copy_database", then_more_happens)
    monkeypatch.setattr(backup, "_copy", and_a_game_ends)
    _back_up(data, tmp_path / "backup")
    assert (tmp_path / "backup/records/98.txt").exists() and not (tmp_path / "backup/running/98.txt").exists()
    assert not (tmp_path / "backup/records/99.txt").exists()
    restore(tmp_path / "backup", tmp_path / "restored")
    assert verify(tmp_path / "restored", 1) == Verdict(8, 0, ())


def test_a_backup_is_restored_again_and_never_written_to(held: Path, tmp_path: Path) -> None:
    """After a refusal, too."""
    _back_up(held, tmp_path / "backup")
    before = _contents(tmp_path / "backup")
    with pytest.raises(BadBackup):
        restore(tmp_path / "backup", held)
    assert _contents(tmp_path / "backup") == before
    for name in ("first", "second"):
        restore(tmp_path / "backup", tmp_path / name)
        assert _contents(tmp_path / "backup") == before
        assert verify(tmp_path / name, 1) == Verdict(8, 0, ())


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def refused(folder: Path, sentence: str) -> Iterator[None]:
    """Check that something is refused with this sentence, in which the folder is called HERE."""
    with pytest.raises((BadBackup, BadStore)) as caught:
        yield
    assert str(caught.value).replace(str(folder), "HERE") == sentence


def test_what_cannot_be_backed_up_or_restored_is_said_in_a_sentence(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    with refused(tmp_path, snapshot("there is no data directory HERE/none; name it with --data")):
        _back_up(tmp_path / "none", tmp_path / "backup")
    with refused(
        tmp_path, snapshot("HERE/data/backup lies within the data directory HERE/data; a backup belongs elsewhere")
    ):
        _back_up(data, data / "backup")
    _back_up(data, tmp_path / "backup")
    with pytest.MonkeyPatch.context() as patch:
        (tmp_path / "empty").mkdir()
        patch.chdir(tmp_path / "empty")
        restore(tmp_path / "backup", Path())
        assert verify(tmp_path / "empty", 1) == Verdict(8, 0, ())
    (tmp_path / "next.new").mkdir()
    with pytest.raises(FileExistsError, match=r"next\.new"):
        _back_up(data, tmp_path / "next")
    with refused(
        tmp_path, snapshot("HERE/backup exists already; name a new folder, for example with the date in its name")
    ):
        _back_up(data, tmp_path / "backup")
    with refused(tmp_path, snapshot("HERE/data is no whole backup: there is no backup.json in it that can be read")):
        restore(data, tmp_path / "restored")
    database = tmp_path / "backup" / FILE
    whole = database.read_bytes()
    database.write_bytes(whole[:100] + bytes(len(whole) - 100))
    with refused(
        tmp_path,
        snapshot("HERE/backup/arena.sqlite3 is no database, or a damaged one: database disk image is malformed"),
    ):
        restore(tmp_path / "backup", tmp_path / "restored")
    database.write_bytes(whole)
    (tmp_path / "backup/records/1.txt").unlink()
    with refused(tmp_path, snapshot("HERE/backup had 17 files, and has 16; take another backup")):
        restore(tmp_path / "backup", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


async def test_a_match_that_runs_during_the_backup_goes_on_from_it(tmp_path: Path, run: Run) -> None:
    """The server that was backed up goes on, too."""
    async with playing(tmp_path / "data", "budget=86400000") as (_, ann, bob):
        await play(ann, bob, "a5-b5")
        assert run("backup", "backup", "--data", "data").status == 0
        await ann.say(m.Resign())
        assert (await bob.hear(m.Result)).reason == "resign"
    assert run("restore", "backup", "--data", "restored").status == 0
    async with open_arena(tmp_path / "restored") as harness:
        first, second = [await harness.guest(m.Resume(1, client.token)) for client in (bob, ann)]
        assert (await second.hear(m.Moved)).move == "a5-b5"
        await first.hear(m.Turn)
        await first.say(m.Resign())
        assert (await second.hear(m.Result)).reason == "resign"
