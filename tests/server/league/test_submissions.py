"""Uploads are unpacked within bounds; versions are built, checked and qualified, and only what passes plays."""

import io
import json
import stat
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from server.config.settings import LeagueRules
from server.league.accounts import Accounts, NotAllowed, Person
from server.league.submissions import pipeline, upload
from server.league.submissions.pipeline import Ended, Pipeline
from server.league.submissions.upload import unpack
from server.league.submissions.versions import BUILD, CHECK_REPORT, LOG, MAX_WAITING, UPLOAD, State, Version, Versions
from tests.server.contest.runtime.bots import DICE
from tests.server.league.people import person, refused

TRIAL = ("mnk", "3 3 3")

Replace = Callable[..., list[str]]
"""The fixture that replaces steps."""


def packed(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED, **modes: int) -> bytes:
    """Return a zip archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = method
            member.external_attr = modes.get(name, stat.S_IFREG | 0o644) << 16
            zipped.writestr(member, content)
    return data.getvalue()


# unpacking


def test_a_folder_is_unpacked_without_what_it_lies_in(tmp_path: Path) -> None:
    files = {"me/bot/bot.py": "print()", "me/bot/lib/x.py": "", "me/bot/.git/HEAD": "x", "__MACOSX/me/._bot.py": "x"}
    unpack(packed(files), "me.zip", tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == ["bot.py", "lib/x.py"]
    assert (tmp_path / "bot.py").read_text() == "print()"


def test_a_single_file_keeps_its_name_and_scripts_run(tmp_path: Path) -> None:
    unpack(b"#!/bin/sh\n", "C:\\me\\bot", tmp_path)
    assert (tmp_path / "bot").stat().st_mode & 0o111
    unpack(packed({"run": "x", "data": "x"}, run=stat.S_IFREG | 0o755), "a.zip", tmp_path)
    assert (tmp_path / "run").stat().st_mode & 0o111 and not (tmp_path / "data").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (
            lambda: b"",
            "bot.py",
            snapshot("BadUpload: the upload is empty; send a zip archive of the bot's folder, or its only file"),
        ),
        (lambda: b"x", ".bashrc", snapshot("BadUpload: a file has a name as bot.py has; not '.bashrc'")),
        (lambda: b"x", "..", snapshot("BadUpload: a file has a name as bot.py has; not '..'")),
        (
            lambda: b"not a zip",
            "bot.zip",
            snapshot("BadUpload: bot.zip is no zip archive; pack the bot's folder as one, or send its only file"),
        ),
        (lambda: packed({}), "bot.zip", snapshot("BadUpload: the archive has no files")),
        (
            lambda: packed({"../../evil": "x"}),
            "bot.zip",
            snapshot("BadUpload: '../../evil' in the archive does not lie in its folder"),
        ),
        (
            lambda: packed({"/etc/passwd": "x"}),
            "bot.zip",
            snapshot("BadUpload: '/etc/passwd' in the archive does not lie in its folder"),
        ),
        (
            lambda: packed({"C:\\x": "x"}),
            "bot.zip",
            snapshot("BadUpload: 'C:\\\\x' in the archive does not lie in its folder"),
        ),
        (
            lambda: packed({"ä" * 199: "x"}),
            "bot.zip",
            snapshot(
                "BadUpload: the path 'äääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää' in the archive is too long, or not printable; it has at most 200 bytes and 11 folders"
            ),
        ),
        (
            lambda: b"x",
            "ä" * 199,
            snapshot(
                "BadUpload: a file has a name as bot.py has; not 'äääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää'"
            ),
        ),
        (
            lambda: packed({"bot.py!x": "x"}).replace(b"bot.py!x", b"bot.py\0x"),
            "bot.zip",
            snapshot(
                "BadUpload: the path 'bot.py\\x00x' in the archive is too long, or not printable; it has at most 200 bytes and 11 folders"
            ),
        ),
        (
            lambda: packed({"/".join("abcdefghijklmnop"): "x"}),
            "bot.zip",
            snapshot(
                "BadUpload: the path 'a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p' in the archive is too long, or not printable; it has at most 200 bytes and 11 folders"
            ),
        ),
        (
            lambda: packed({"link": "/etc/passwd"}, link=stat.S_IFLNK | 0o777),
            "bot.zip",
            snapshot("BadUpload: 'link' in the archive is a link or a device; put the file itself there"),
        ),
        (
            lambda: packed({"x/a": "x", "a": "x", "a/b": "x"}),
            "bot.zip",
            snapshot("BadUpload: the archive has 'b' as a file and as a folder"),
        ),
        (
            lambda: packed({f"{n}": "" for n in range(501)}),
            "bot.zip",
            snapshot("BadUpload: an upload has at most 500 files, this one 501; leave out what is built"),
        ),
        (
            lambda: packed({"zeros": bytes(2 << 20)}),
            "bot.zip",
            snapshot("BadUpload: the files of an upload have at most 1 MB together"),
        ),
        (
            lambda: packed({"bot.py": "x" * 1000})[:-30],
            "bot.zip",
            snapshot("BadUpload: bot.zip is no zip archive; pack the bot's folder as one, or send its only file"),
        ),
        (lambda: bytes(17 << 20), "bot.py", snapshot("BadUpload: an upload has at most 16 MB, and this one 17.0")),
    ],
)
def test_what_is_no_upload_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Callable[[], bytes], name: str, sentence: str
) -> None:
    monkeypatch.setattr(upload, "MAX_BYTES", 1 << 20)
    folder = tmp_path / "in"
    folder.mkdir()
    with raises(sentence):
        unpack(data(), name, folder)
    assert [path for path in tmp_path.iterdir() if path != folder] == []


def damaged(method: int) -> bytes:
    data = bytearray(packed({"bot.py": "print('hello')" * 100}, method))
    data[40:60] = bytes(20)
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        *map(damaged, (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)),
        packed({"bot.py": "x"})[:-6] + b"\xff\x00\x00\x00\x00\x00",
        packed({"!bot.py": "x"}).replace(b"!bot.py", b"\0bot.py"),
    ],
)
def test_a_damaged_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(upload.BadUpload):  # its words are the library's, which differ from Python to Python
        unpack(data, "bot.zip", tmp_path)


# what is built and started


@pytest.mark.parametrize(
    ("files", "build", "start"),
    [
        (["bot.py"], (), ("python3", "bot.py")),
        (["my_bot.py"], (), ("python3", "my_bot.py")),
        (["my_bot.py", "test_my_bot.py", "Makefile"], ("make",), ("python3", "my_bot.py")),
        (["bot.py", "Makefile"], ("make",), ("python3", "bot.py")),
        (["bot.c", "bot"], ("cc", "-O2", "-o", "bot", "bot.c"), ("./bot", *upload.ARGUMENTS)),
        (["Bot.java", "Bot.class"], ("javac", "Bot.java"), ("java", "-cp", ".", "Bot", *upload.ARGUMENTS)),
    ],
)
def test_files_tell_how_a_bot_is_built_and_started(
    tmp_path: Path, files: list[str], build: tuple[str, ...], start: tuple[str, ...]
) -> None:
    for name in files:
        (tmp_path / name).touch()
    assert (upload.build_command(tmp_path), upload.start_command(tmp_path)) == (build, start)
    assert upload.written_command(tmp_path) == ()


def test_an_author_may_write_the_command_down(tmp_path: Path) -> None:
    file = tmp_path / "command"
    file.write_text("python3 'src/my bot.py' {host}\n")
    assert upload.written_command(tmp_path) == ("python3", "src/my bot.py", "{host}")
    for wrong, sentence in (
        (
            "",
            snapshot(
                "BadUpload: the file command holds the command that starts the bot, as in: python3 bot.py; it has at most 4096 printable characters"
            ),
        ),
        ("'open", snapshot("BadUpload: the file command cannot be read: No closing quotation")),
        (
            "python3 bot.py a\0b",
            snapshot(
                "BadUpload: the file command holds the command that starts the bot, as in: python3 bot.py; it has at most 4096 printable characters"
            ),
        ),
        (
            f"python3 bot.py {'a ' * upload.MAX_COMMAND}",
            snapshot(
                "BadUpload: the file command holds the command that starts the bot, as in: python3 bot.py; it has at most 4096 printable characters"
            ),
        ),
    ):
        file.write_text(wrong)
        with raises(sentence):
            upload.written_command(tmp_path)
    with raises(
        snapshot(
            "BadUpload: it is not clear how the bot is started: name its program bot.py, bot.js, Bot.java or bot, or write the command into a file command, as in: python3 src/main.py"
        )
    ):
        upload.start_command(tmp_path)


# versions


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> Replace:
    """Return what replaces steps by coroutines; a step that is not given passes. Its list has the steps taken."""

    def replace(**given: Callable[..., Awaitable[Ended]]) -> list[str]:
        taken: list[str] = []

        async def step(name: str, *words: object) -> Ended:
            taken.append(name)
            return await given[name](*words) if name in given else Ended(0)

        monkeypatch.setattr(pipeline, "sandbox_obstacle", str)
        for name in ("check", "match"):
            monkeypatch.setattr(pipeline, f"run_{name}", partial(step, name))
        return taken

    return replace


@pytest.fixture
def ann(accounts: Accounts) -> Person:
    return person(accounts, "ann", "bot")


def test_versions_are_numbered_wait_in_turn_and_one_plays(versions: Versions, ann: Person, accounts: Accounts) -> None:
    first = versions.add(ann, "bot", "bot.py", b"1")
    second = versions.add(ann, "BOT", "bot.py", b"2")
    assert [first.number, second.number, versions.under_way()[0]] == [1, 2, first]
    versions.go_on(second, "building")
    assert versions.under_way()[0] == versions.version("bot", 2), "what was under way comes first"
    for version in (first, second):
        versions.go_on(version, "qualifying", ("./bot",))
        with pytest.raises(NotAllowed):
            versions.activate(version, "ann")
        versions.accept(version)
    assert [(one.number, one.state) for one in versions.of("bot")] == [(2, "active"), (1, "retired")]
    assert [one.command for one in versions.active()] == [("./bot",)]
    (versions.folder(first) / BUILD).mkdir()
    versions.activate(versions.of("bot")[1], "ann")
    assert [one.number for one in versions.active()] == [1], "an earlier version can be taken back"
    accounts.close_account("ann", "test")
    assert versions.active() == []


def test_what_somebody_may_keep_waiting_is_bounded(versions: Versions, ann: Person, accounts: Accounts) -> None:
    for _ in range(MAX_WAITING):
        versions.add(ann, "bot", "bot.py", b"1")
    bob = person(accounts, "bob")
    refused(
        (
            lambda: versions.add(ann, "bot", "bot.py", b"1"),
            snapshot("3 versions of yours are under way; wait until one of them has been tried"),
        ),
        (
            lambda: versions.add(bob, "bot", "bot.py", b"1"),
            snapshot("bob has no bot 'bot'; make it on the page /me first"),
        ),
        (
            lambda: versions.add(bob, "none", "bot.py", b"1"),
            snapshot("bob has no bot 'none'; make it on the page /me first"),
        ),
    )


def test_deleted_files_go_and_the_row_stays(versions: Versions, ann: Person, accounts: Accounts) -> None:
    first, second = (versions.add(ann, "bot", "bot.py", bytes([n]) * 5000) for n in (1, 2))
    refused(
        (
            lambda: versions.delete(first, "ann"),
            snapshot("version 1 of bot plays, is under way or in a game, or was deleted before"),
        )
    )
    versions.refuse(first, "it has no legs")
    versions.accept(second)
    refused(
        (
            lambda: versions.delete(second, "ann"),
            snapshot("version 2 of bot plays, is under way or in a game, or was deleted before"),
        )
    )
    before = versions.kept_bytes(ann)
    versions.delete(first, "ann")
    refused(
        (
            lambda: versions.delete(first, "ann"),
            snapshot("version 1 of bot plays, is under way or in a game, or was deleted before"),
        )
    )
    assert before - versions.kept_bytes(ann) >= 5000 and not versions.folder(first).exists()
    deleted = versions.of("bot")[1]
    assert (deleted.state, deleted.sentence, deleted.sha256) == ("deleted", "it has no legs", first.sha256)
    assert [entry.what for entry in accounts.audit(1)] == ["deleted version 1 of bot"]
    refused(
        (
            lambda: versions.activate(deleted, "ann"),
            snapshot("version 1 of bot has not passed, or was deleted; send it again"),
        )
    )
    assert versions.add(ann, "bot", "bot.py", b"3").number == 3


# the steps

PRINTED = "ok    keeps its time\n30 ok, 0 FAIL\nok    plays on\n"
"""Output of a bot that imitates a passed test. The log of its test contains it."""

SEALED = pytest.mark.usefixtures("needs_sandbox")


def tried(
    versions: Versions,
    data: Path,
    version: Version,
) -> tuple[Version, str]:
    """Take a version through its steps; return it, and its logs."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Pipeline(versions, data, TRIAL).run)
            while (versions.version(version.bot, version.number) or version).is_under_way:
                await trio.sleep(0.05)
            nursery.cancel_scope.cancel()

    trio.run(main)
    found = versions.version(version.bot, version.number)
    assert found is not None
    return found, "".join(path.read_text() for path in sorted(versions.folder(version).glob("*.txt")))


@SEALED
@pytest.mark.parametrize(
    ("files", "sentence", "said"),
    [
        (
            {"bot.c": "int main( { return 0; }"},
            snapshot("the build (cc -O2 -o bot bot.c) failed: exit status 1"),
            "error",
        ),
        (
            {"Makefile": "all:\n\tcat ../../../../league.sqlite3 ../upload"},
            snapshot("the build (make) failed: exit status 2"),
            "No such file",
        ),
        (
            {"notes.txt": "I have no bot"},
            snapshot(
                "it is not clear how the bot is started: name its program bot.py, bot.js, Bot.java or bot, or write the command into a file command, as in: python3 src/main.py"
            ),
            "",
        ),
    ],
    ids=["broken", "curious", "none"],
)
def test_what_does_not_pass_is_refused_with_the_reason_and_its_log(
    versions: Versions, ann: Person, tmp_path: Path, files: dict[str, str], sentence: str, said: str
) -> None:
    version, logs = tried(versions, tmp_path, versions.add(ann, "bot", "bot.zip", packed(files)))
    assert version.state == "refused" and said in logs
    assert version.sentence == sentence


@pytest.mark.parametrize(
    ("state", "taken"),
    [("building", ["check", "match"]), ("checking", ["check", "match"]), ("qualifying", ["match"])],
)
def test_a_version_goes_on_with_the_step_in_which_a_server_was_killed(
    versions: Versions, ann: Person, tmp_path: Path, without_sandbox: Replace, state: State, taken: list[str]
) -> None:
    version = versions.add(ann, "bot", "bot.py", b"")
    versions.go_on(version, state, ("python3", "bot.py"))
    (built := versions.folder(version) / BUILD / "built").parent.mkdir()
    built.touch()
    steps_taken = without_sandbox()
    (versions.folder(version) / "upload").write_bytes(b"print()")
    assert tried(versions, tmp_path, version)[0].state == "active"
    assert steps_taken == taken and built.exists() == (state != "building")


@pytest.mark.slow
@pytest.mark.thorough
@SEALED
def test_what_a_bot_prints_stands_in_the_log_of_its_test_and_counts_for_nothing(
    versions: Versions, ann: Person, tmp_path: Path
) -> None:
    bot = f"import os, socket\nfor stream in (1, 2):\n    os.write(stream, {PRINTED.encode()!r})\n"
    bot += "socket.create_connection(('192.0.2.1', 80), 2)"
    version, logs = tried(versions, tmp_path, versions.add(ann, "bot", "bot.py", bot.encode()))
    results = json.loads((versions.folder(version) / CHECK_REPORT).read_text())
    assert (version.state, version.sentence) == (
        "refused",
        snapshot(
            "the conformance test found something: logs in and seeks: the bot: ended by itself, with exit status 1, before it had connected"
        ),
    )
    assert PRINTED in logs and "unreachable" in logs
    assert (results["passed"], results["situations"][0]["outcome"]) == (0, "failed")


@SEALED
@pytest.mark.slow
def test_a_bot_without_a_fault_plays_from_then_on(
    accounts: Accounts, ann: Person, tmp_path: Path, without_sandbox: Replace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data directory is seen from where the server was started, as is the usual one.

    A machine under load lets any bot exceed the second that the conformance test gives it.
    """
    without_sandbox(match=pipeline.run_match)
    monkeypatch.setattr(pipeline, "GAMES_PLAYED", 2)
    monkeypatch.setattr(pipeline, "NICENESS", 0)  # else other tests let its match wait
    monkeypatch.chdir(tmp_path.parent)
    versions = Versions(Path(tmp_path.name), accounts)
    files: dict[str, bytes | str] = {
        "brain.py": DICE.read_bytes(),
        "bot.py": "import runpy\nrunpy.run_path('brain.py', run_name='__main__')",
    }
    version, log = tried(versions, tmp_path, versions.add(ann, "bot", "bot.zip", packed(files)))
    assert version.state == "active", version.sentence + log
    assert versions.active() == [version] and version.command == ("python3", "bot.py")


RULES = LeagueRules(quota=1, built_versions=2, log_days=30)


def test_old_builds_and_logs_go_and_nothing_else(tmp_path: Path, accounts: Accounts) -> None:
    dates = [datetime(2026, 11, 1, tzinfo=UTC)]
    versions = Versions(tmp_path, accounts, lambda: dates[-1], RULES)
    ann = person(accounts, "ann", "bot")
    for number in range(1, 7):
        version = versions.add(ann, "bot", "bot.py", b"x")
        (versions.folder(version) / BUILD).mkdir()
        (versions.folder(version) / LOG).write_text("ok")
        versions.go_on(version, "qualifying", ("./bot",))
        if number == 4:
            versions.refuse(version, "it has no legs")
        else:
            versions.accept(version)
    versions.activate(versions.of("bot")[-1], "ann")  # version 1 plays

    def having(file: str) -> list[int]:
        return [one.number for one in versions.of("bot") if (versions.folder(one) / file).exists()]

    versions.remove_old()
    assert having(BUILD) == [6, 5, 1], "the two newest, and that which plays"
    assert having(LOG) == [6, 5, 4, 3, 2, 1]
    dates.append(dates[0] + timedelta(days=31))
    versions.remove_old()
    assert having(LOG) == [1]
    assert having(UPLOAD) == [6, 5, 4, 3, 2, 1]
    versions.activate(versions.of("bot")[3], "ann")
    assert versions.under_way()[0] == versions.version("bot", 3), "it is built again before it plays"
    assert [one.number for one in versions.active()] == [1]
    refused(
        (
            lambda: versions.add(ann, "bot", "bot.py", bytes(1 << 20)),
            snapshot("versions of yours have 1 MB on the server; delete old ones on the pages of your bots"),
        )
    )
