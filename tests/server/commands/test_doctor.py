"""The doctor finds what is wrong, and nothing where all is well."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from trio.testing import MockClock

from engine.wire import messages as m
from server.commands.doctor import GOOD, NOTE, WRONG, Finding, diagnosis
from server.config.keys import SIGNING_KEY, signing_key
from server.league.accounts import AUTHOR, Accounts
from server.league.database import FILE as LEAGUE
from server.league.submissions.versions import Versions
from tests.server.conftest import Run
from tests.server.harness import open_arena, play


def found(folder: Path, about: str, text: str = "") -> list[Finding]:
    """Return what the doctor says of one thing; ``text`` is added to a configuration of a free port."""
    path = folder / "arena.toml"
    path.write_text(f"port = 0\ndata = 'data'\n{text}")
    return [finding for finding in diagnosis(path, None) if finding.about == about]


async def _matches(folder: Path, count: int) -> None:
    """Leave records of some matches."""
    async with open_arena(folder) as harness:
        for _ in range(count):
            ann, bob = await harness.begin()
            await play(ann, bob, "a4-b4")
            await ann.say(m.Resign())
            for client in (ann, bob):
                await client.hear(m.Result)
                assert await client.answer(m.Quit()) is not None
        harness.die("left")
    folder.with_name(f"{folder.name}-left").rename(folder.with_name("data"))


async def test_all_is_well_with_a_server_that_was_used(tmp_path: Path, autojump_clock: MockClock) -> None:
    await _matches(tmp_path / "used", 3)
    (tmp_path / "arena.toml").write_text("port = 0\ndata = 'data'")
    findings = list(diagnosis(tmp_path / "arena.toml", None))
    assert not [finding for finding in findings if finding.state == WRONG]
    sentences = {finding.about: finding.sentence for finding in findings}
    assert sentences["records"] == "3 of 3 were verified"


async def test_records_that_are_not_true(tmp_path: Path, autojump_clock: MockClock) -> None:
    await _matches(tmp_path / "used", 2)
    path = tmp_path / "data" / "records" / "1.txt"
    path.write_text(path.read_text().replace("a4-b4", "a4-b5"))
    (record,) = found(tmp_path, "records")
    assert record.state == WRONG and "1.txt" in record.sentence


def test_key_that_signs_exports(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    assert found(tmp_path, "signing key") == [] and not list(data.iterdir()), "none is made"
    signing_key(data)
    path = data / SIGNING_KEY
    assert [one.state for one in found(tmp_path, "signing key")] == [GOOD]
    for mode, text, sentence in (
        (0o640, "", snapshot("other users can sign records with DATA/signing-key.pem; chmod go= DATA/signing-key.pem")),
        (
            0o600,
            "no key",
            snapshot(
                "DATA/signing-key.pem is no private key of Ed25519 in PEM without a password; take it from a backup"
            ),
        ),
    ):
        path.chmod(mode)
        path.write_text(text)
        (finding,) = found(tmp_path, "signing key")
        assert (finding.state, finding.sentence.replace(str(data), "DATA")) == (WRONG, sentence)


def test_league(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with closing(Accounts(data)) as accounts:
        accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "")
        ann = accounts.person("ann")
        assert ann is not None
        accounts.make_token(ann, "Bot")
        versions = Versions(data, accounts)
        versions.add(ann, "Bot", "bot.py", b"")
    (good,) = found(tmp_path, "league")
    assert good.state == GOOD
    for place in ("submissions", LEAGUE):
        (data / place).chmod(0o755)
        (readable,) = found(tmp_path, "league")
        assert readable.state == WRONG and f"{data / place}" in readable.sentence


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (
            "",
            GOOD,
            snapshot(
                "X-Remote-User is accepted from 127.0.0.0/8, ::1/128: the proxy must remove it from requests of browsers, and run alone on its machine"
            ),
        ),
        (
            "[limits]\ntrusted = ['10.0.0.7', '127.0.0.1']",
            GOOD,
            snapshot(
                "X-Remote-User is accepted from 10.0.0.7/32, 127.0.0.1/32: the proxy must remove it from requests of browsers, and run alone on its machine"
            ),
        ),
        (
            "[limits]\ntrusted = []",
            WRONG,
            snapshot(
                "X-Remote-User is ignored: no network is trusted; name the proxy's address in trusted of [limits]"
            ),
        ),
        (
            "[limits]\ntrusted = ['::1', '10.0.0.0/8']",
            WRONG,
            snapshot(
                "any host of 10.0.0.0/8 can sign in as anybody by X-Remote-User; trust the address of the proxy alone"
            ),
        ),
        (
            "[limits]\ntrusted = ['0.0.0.0/0']",
            WRONG,
            snapshot(
                "any host of 0.0.0.0/0 can sign in as anybody by X-Remote-User; trust the address of the proxy alone"
            ),
        ),
    ],
)
def test_header_that_names_who_has_signed_in(tmp_path: Path, text: str, state: str, words: str) -> None:
    (finding,) = found(tmp_path, "user header", f"user-header = 'X-Remote-User'\n{text}")
    assert (finding.state, finding.sentence) == (state, words)
    assert found(tmp_path, "user header", text) == []


@pytest.mark.parametrize(
    ("write", "status", "words"),
    [
        (lambda path: path.write_text("port = 0\ndata = 'd'"), 0, "ok    configuration"),
        (lambda path: path.write_text("port = 'x'"), 1, "WRONG configuration"),
        (lambda path: None, 1, "cannot be read: No such file"),
    ],
)
def test_command_says_a_line_a_check(
    tmp_path: Path, run: Run, write: Callable[[Path], object], status: int, words: str
) -> None:
    write(tmp_path / "arena.toml")
    said = run("doctor", "--config", "arena.toml")
    assert said.status == status and words in "\n".join(said.out)
    assert all(line.split()[0] in (GOOD, NOTE, WRONG) for line in said.out)
