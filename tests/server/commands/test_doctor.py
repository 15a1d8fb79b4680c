"""The doctor finds what is wrong, and nothing where all is well."""

import resource
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import trustme
from trio.testing import MockClock

from engine.wire import messages as m
from server import cli
from server.commands import doctor
from server.commands.doctor import GOOD, NOTE, WRONG, Finding, diagnosis
from server.config import tokens
from server.config.keys import SIGNING_KEY, signing_key
from server.contest.store.store import FILE as STORE
from server.contest.store.store import Store
from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.database import FILE as LEAGUE
from server.league.submissions.versions import Versions
from server.storage.disk import lock_data_directory
from tests.server.harness import open_arena, play


def found(folder: Path, about: str, text: str = "", **options: bool) -> list[Finding]:
    """Return what the doctor says of one thing; ``text`` is added to a configuration of a free port."""
    path = folder / "arena.toml"
    path.write_text(f"port = 0\ndata = 'data'\n{text}")
    return [finding for finding in diagnosis(path, None, **options) if finding.about == about]


async def _matches(folder: Path, count: int) -> None:
    """Leave records of some matches, and the journal of one that is played."""
    async with open_arena(folder) as harness:
        for _ in range(count):
            ann, bob = await harness.begin()
            await play(ann, bob, "a4-b4")
            await ann.say(m.Resign())
            for client in (ann, bob):
                await client.hear(m.Result)
                assert await client.answer(m.Quit()) is not None
        await harness.pair()
        harness.die("left")
    folder.with_name(f"{folder.name}-left").rename(folder.with_name("data"))


async def test_all_is_well_with_a_server_that_was_used(tmp_path: Path, autojump_clock: MockClock) -> None:
    await _matches(tmp_path / "used", 3)
    (tmp_path / "arena.toml").write_text("port = 0\ndata = 'data'")
    findings = list(diagnosis(tmp_path / "arena.toml", None))
    assert not [finding for finding in findings if finding.state == WRONG]
    sentences = {finding.about: finding.sentence for finding in findings}
    assert sentences["records"] == "3 of 3 were verified"
    assert sentences["journals"] == "matches that were running: 1; they go on when the server starts"


async def test_records_and_journals_that_are_not_true(tmp_path: Path, autojump_clock: MockClock) -> None:
    await _matches(tmp_path / "used", 2)
    data = tmp_path / "data"
    for path in ("records/1.txt", "running/3.txt"):
        text = (data / path).read_text()
        (data / path).write_text(text.replace("a4-b4", "a4-b5").replace("budget 1000.000", "budget x"))
    (finding,) = found(tmp_path, "records")
    assert finding.state == WRONG and "1.txt is not true: line" in finding.sentence
    (finding,) = found(tmp_path, "journals")
    assert finding.state == WRONG and "3.txt is damaged" in finding.sentence
    (data / "damaged").mkdir(exist_ok=True)
    (data / "damaged" / "9.txt").write_text("x")
    assert [finding.state for finding in found(tmp_path, "damaged")] == [NOTE]


def test_sample_of_records_or_all(tmp_path: Path) -> None:
    (tmp_path / "data" / "records").mkdir(parents=True)
    for number in range(1, 201):
        (tmp_path / "data" / "records" / f"{number}.txt").write_text("nonsense")
    assert len(found(tmp_path, "records")) == doctor.SAMPLE
    assert len(found(tmp_path, "records", every_record=True)) == 200


def test_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (finding,) = found(tmp_path, "port")
        assert finding.state == GOOD
        assert [f.state for f in found(tmp_path, "metrics", f"metrics = {port}")] == [WRONG]
        (tmp_path / "taken.toml").write_text(f"port = {port}")
        finding = next(f for f in diagnosis(tmp_path / "taken.toml", tmp_path / "data") if f.about == "port")
        assert finding.state == WRONG and "Address already in use" in finding.sentence
    (tmp_path / "far.toml").write_text("host = '203.0.113.9'")
    finding = next(f for f in diagnosis(tmp_path / "far.toml", tmp_path / "data") if f.about == "port")
    assert finding.state == WRONG and "203.0.113.9 is not to be had" in finding.sentence


def test_server_that_runs_is_seen_and_left_alone(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path / "data"):
        assert [finding.state for finding in found(tmp_path, "server")] == [NOTE]
        assert found(tmp_path, "port") == [] == found(tmp_path, "journals")
    assert found(tmp_path, "server") == []


def test_folder_space_and_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_text("a file")
    assert [finding.state for finding in found(tmp_path, "data")] == [WRONG]
    (tmp_path / "data").unlink()
    assert [finding.state for finding in found(tmp_path, "data")] == [GOOD]
    for free, state in ((10**6, WRONG), (10**8 * 5, NOTE), (10**10, GOOD)):
        usage = SimpleNamespace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, usage=usage: usage)
        assert [finding.state for finding in found(tmp_path, "space")] == [state]
    for most, state in ((1024, WRONG), (65536, GOOD), (resource.RLIM_INFINITY, GOOD)):
        monkeypatch.setattr(resource, "getrlimit", lambda _kind, most=most: (1024, most))
        assert [finding.state for finding in found(tmp_path, "files")] == [state]


def test_database_of_contests(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / STORE
    store = sqlite3.connect(path)
    store.execute("CREATE TABLE things (name TEXT)")
    store.executemany("INSERT INTO things VALUES (?)", [(f"name {n}" * 20,) for n in range(500)])
    store.commit()
    store.close()
    assert [finding.state for finding in found(tmp_path, "contests")] == [GOOD]
    data = bytearray(path.read_bytes())
    data[5000:9000] = b"\xff" * 4000
    path.write_bytes(data)
    assert [finding.state for finding in found(tmp_path, "contests")] == [WRONG]
    path.write_bytes(b"no database at all" * 100)
    assert [finding.state for finding in found(tmp_path, "contests")] == [WRONG]


@pytest.mark.parametrize(("about", "file"), [("contests", STORE), ("league", LEAGUE)])
def test_databases_of_another_version(tmp_path: Path, about: str, file: str) -> None:
    """They are whole, and a server does not open them."""
    data = tmp_path / "data"
    data.mkdir()
    Store(data / STORE).close()
    Accounts(data).close()
    with closing(sqlite3.connect(data / file)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA user_version = {version + 1}")
    (finding,) = found(tmp_path, about)
    told = f"{data / file} was written by another version of arena-server: its schema is {version + 1}"
    assert finding.state == WRONG and told in finding.sentence and "install that version again" in finding.sentence
    (other,) = found(tmp_path, "league" if about == "contests" else "contests")
    assert other.state == GOOD


def test_key_that_signs_exports(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    assert found(tmp_path, "signing key") == [] and not list(data.iterdir()), "none is made"
    signing_key(data)
    path = data / SIGNING_KEY
    assert [one.state for one in found(tmp_path, "signing key")] == [GOOD]
    path.chmod(0o640)
    (finding,) = found(tmp_path, "signing key")
    assert finding.state == WRONG and f"others here can read {path}" in finding.sentence
    path.chmod(0o600)
    path.write_text("no key")
    (finding,) = found(tmp_path, "signing key")
    assert finding == (WRONG, "signing key", finding.sentence) and "is no private key of Ed25519" in finding.sentence


def make_tokens(path: Path) -> str:
    tokens.add(path, "ann")
    return "ann secret"


@pytest.mark.parametrize(
    ("about", "make", "words"),
    [("tokens", make_tokens, "line 1"), ("organiser", tokens.make_organiser, "64 hexadecimal digits")],
)
def test_files_of_tokens(tmp_path: Path, about: str, make: Callable[[Path], str], words: str) -> None:
    def state() -> str:
        (finding,) = found(tmp_path, about, f"{about} = 'tokens.txt'")
        return finding.state

    path = tmp_path / "tokens.txt"
    assert found(tmp_path, about) == []
    assert state() == WRONG, "there is no file"
    secret = make(path)
    assert state() == GOOD
    path.chmod(0o620)
    assert state() == WRONG, "others may write to it"
    path.write_text(secret)
    (finding,) = found(tmp_path, about, f"{about} = 'tokens.txt'")
    assert finding.state == WRONG and words in finding.sentence and secret not in finding.sentence


def test_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    assert found(tmp_path, "league") == found(tmp_path, "versions") == []
    with closing(Accounts(data)) as accounts:
        accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "", "")
        ann = accounts.person("ann")
        assert ann is not None
        accounts.make_token(ann, "Bot")
        assert [one.state for one in found(tmp_path, "league")] == [GOOD] and found(tmp_path, "versions") == []
        versions = Versions(data, accounts)
        version = versions.add(ann, "Bot", "bot.py", bytes(3 << 20))
        versions.go_on(version, "qualifying")
        versions.accept(version)
    monkeypatch.setattr(doctor, "sandbox_obstacle", lambda: "")
    (missing,) = found(tmp_path, "versions")
    assert missing.state == WRONG and "version 1 of Bot are missing, which should play" in missing.sentence
    (versions.folder(version) / "build").mkdir()
    (good,) = found(tmp_path, "versions")
    assert good == (GOOD, "versions", "1 version has 3 MB on the disk")
    monkeypatch.setattr(doctor, "sandbox_obstacle", lambda: "there is no bubblewrap")
    assert found(tmp_path, "versions")[1].state == NOTE
    (data / "league.sqlite3").chmod(0o644)
    (data / "submissions").chmod(0o755)
    assert [one.state for one in found(tmp_path, "league")] == [WRONG, WRONG, GOOD]
    (data / "submissions").chmod(0o700)
    (data / "league.sqlite3").write_bytes(b"this is no database, but long enough to be looked at" * 20)
    assert [one.sentence.partition(": ")[2] for one in found(tmp_path, "league")][1:] == [
        "file is not a database; take it from a backup"
    ]


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("", GOOD, "X-Remote-User is believed of 127.0.0.0/8, ::1/128: the proxy there has to remove it from what"),
        ("[limits]\ntrusted = ['10.0.0.7', '127.0.0.1']", GOOD, "is believed of 10.0.0.7/32, 127.0.0.1/32: "),
        ("[limits]\ntrusted = []", WRONG, "is believed of nobody: no network is trusted; name the proxy's address"),
        (
            "[limits]\ntrusted = ['::1', '10.0.0.0/8']",
            WRONG,
            "any host of 10.0.0.0/8 can sign in as anybody by X-Remote-",
        ),
        ("[limits]\ntrusted = ['0.0.0.0/0']", WRONG, "any host of 0.0.0.0/0 can sign in as anybody by X-Remote-User"),
        ("no-web = true", NOTE, "X-Remote-User signs nobody in where no pages are served"),
    ],
)
def test_header_that_names_who_has_signed_in(tmp_path: Path, text: str, state: str, words: str) -> None:
    (finding,) = found(tmp_path, "user header", f"user-header = 'X-Remote-User'\n{text}")
    assert finding.state == state and words in finding.sentence
    assert found(tmp_path, "user header", text) == []


def test_ladder(tmp_path: Path) -> None:
    config, file = tmp_path / "arena.toml", tmp_path / "ladder.toml"
    config.write_text('port = 0\nladder = "ladder.toml"\n')
    least = 'sandbox = "none"\ntime = { budget = 1000 }\ngames = [{ game = "mnk" }]\n'
    program = '[[programs]]\nname = "base"\nowner = "teacher"\ncommand = ["./base"]\nfolder = "base"\n'
    for text, state, words in (
        (least, GOOD, "has 1 game, 0 levels and 0 programs beside the bots of the league"),
        (least + "speed = 3", WRONG, f"{file}: speed is no key of a ladder file"),
        (least + program, WRONG, f"{file}: the folder of base is not there: {tmp_path / 'base'}"),
    ):
        file.write_text(text)
        found = next(one for one in diagnosis(config, tmp_path / "data") if one.about == "ladder")
        assert (found.state, words in found.sentence) == (state, True)


@pytest.mark.parametrize(
    ("begins", "ends", "state", "words"),
    [
        (-10, 200, GOOD, "valid for 199 days more"),
        (-10, 5, NOTE, "valid for 4 days more; renew it"),
        (-10, -1, WRONG, "certificate has expired"),
        (3, 10, WRONG, "certificate is not yet valid"),
    ],
)
def test_certificate(tmp_path: Path, begins: int, ends: int, state: str, words: str) -> None:
    now = datetime.now(UTC)
    issued = trustme.CA().issue_cert("localhost", not_before=now + timedelta(begins), not_after=now + timedelta(ends))
    issued.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    (finding,) = found(tmp_path, "certificate", "[tls]\ncert = 'both.pem'\nkey = 'both.pem'")
    assert finding.state == state and words in finding.sentence


@pytest.mark.parametrize(
    ("write", "status", "words"),
    [
        (lambda path: path.write_text("port = 0\ndata = 'd'"), 0, "ok    configuration"),
        (lambda path: path.write_text("port = 'x'"), 1, "WRONG configuration"),
        (lambda path: None, 1, "cannot be read: No such file"),
    ],
)
def test_command_says_a_line_a_check(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], object],
    status: int,
    words: str,
) -> None:
    write(tmp_path / "arena.toml")
    monkeypatch.setattr("sys.argv", ["arena-server", "doctor", "--config", str(tmp_path / "arena.toml")])
    monkeypatch.setattr(cli, "configure", lambda **_options: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    out = capsys.readouterr().out
    assert ended.value.code == status and words in out
    assert all(line.split()[0] in (GOOD, NOTE, WRONG) for line in out.splitlines())
