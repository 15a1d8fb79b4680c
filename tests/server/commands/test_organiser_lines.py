"""Commands of organisers, for contests and for accounts."""

import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from server.commands import administration
from server.config import tokens
from server.contest.fixtures import GameResult
from server.contest.plan import plan
from server.contest.runtime.service import take_snapshot, write_report
from server.contest.store.store import FILE, Store
from server.league.accounts import Accounts
from tests.server.conftest import Run
from tests.server.contest.runtime.bots import read_definition

CONTEST = """
name = "Autumn"
time = { budget = 60_000 }
entrants = [{ name = "dora" }, { name = "emil" }, { name = "fay" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""


def open_contest(data: Path, text: str = CONTEST) -> int:
    data.mkdir(exist_ok=True)
    with closing(Store(data / FILE)) as store:
        return store.open_contest(text, read_definition(text), datetime.now(UTC))


def changes(data: Path) -> list[tuple[str, str]]:
    """Return the audit log, the oldest entry first."""
    with closing(Accounts(data)) as accounts:
        return [(entry.who, entry.what) for entry in reversed(accounts.audit(100))]


def play_one(data: Path, contest: int) -> int:
    """Play a game of a contest to its end; return its number."""
    with closing(Store(data / FILE)) as store:
        fixture = plan(store.definition(contest), store.games(contest)).due[0]
        match = store.last_match() + 1
        assert store.begin(contest, fixture, match, len(store.interventions(contest)))
        store.finish(contest, GameResult(fixture, match, 0, "line"))
        return match


def test_each_change_of_a_contest_is_answered_in_a_sentence_and_stands_in_the_audit_log(
    run: Run, tmp_path: Path
) -> None:
    data = tmp_path / "arena-data"  # where the commands look unless told otherwise
    number = play_one(data, open_contest(data))
    done = (
        ("pause", "the contest was paused"),
        ("resume Autumn", "the contest was resumed"),
        ("withdraw emil", "emil was withdrawn"),
        ("reinstate emil --contest Autumn", "emil was reinstated"),
        (f"replay {number}", f"the result of match {number} was annulled"),
        ("cancel", "the contest was cancelled"),
    )
    for words, sentence in done:
        said = run("contest", *words.split())
        assert (said.status, said.err, len(said.out)) == (0, [], 1)
        assert said.out[0].startswith(f"Autumn: {sentence}; ") and said.out[0].endswith(".")
    assert [who for who, _ in changes(data)] == ["the command line"] * len(done)
    assert [what.partition(";")[0] for _, what in changes(data)] == [f"Autumn: {sentence}" for _, sentence in done]


def test_what_cannot_be_changed_is_refused_in_a_sentence_and_stands_nowhere(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "arena-data"
    play_one(data, open_contest(data))
    for words, sentence in (
        ("withdraw emi", snapshot("no entrant of 'Autumn' is called 'emi'; there are dora, emil, fay")),
        ("reinstate emil", snapshot("emil is neither disqualified nor withdrawn")),
        ("replay 99", snapshot("no game of 'Autumn' has the number 99; the report lists them")),
        ("resume", snapshot("the organiser has not paused Autumn")),
        (
            "command dora -- python3 dora2.py",
            snapshot("dora connects by itself, and has no command that could be changed"),
        ),
        ("cancel Winter", snapshot("there is no contest 'Winter'; there is Autumn")),
    ):
        said = run("contest", *words.split())
        assert (said.status, said.out, said.fault) == (2, [], sentence)
    assert changes(data) == []


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            "command = ['python3', 'bot.py'], folder = 'bots'",
            snapshot("the program of fay is missing: there is no folder HERE/bots that the server can enter"),
        ),
        ("command = ['python3', 'bot.py']", snapshot("the program of fay is missing: there is no file HERE/bot.py")),
        (
            "command = ['./bot', '{game}']",
            snapshot("the program of fay is missing: ./bot is no program that can be started from HERE"),
        ),
    ],
)
def test_a_contest_does_not_begin_without_its_programs(run: Run, tmp_path: Path, program: str, sentence: str) -> None:
    file, text = tmp_path / "autumn.toml", CONTEST.replace('{ name = "fay" }', f"{{ name = 'fay', {program} }}")
    file.write_text(f'sandbox = "none"{text}', encoding="utf-8")
    said = run("contest", str(file), "--port", "0")
    assert (said.status, said.out, said.fault.replace(str(tmp_path), "HERE")) == (2, [], sentence)


def test_a_contest_that_ended_before_its_last_report_is_verified_by_the_same_command(run: Run, tmp_path: Path) -> None:
    file, data = tmp_path / "autumn.toml", tmp_path / "arena-data"
    file.write_text(CONTEST, encoding="utf-8")
    number = open_contest(data)
    with closing(Store(data / FILE)) as store:
        write_report(data, number, take_snapshot(store, number, datetime.now(UTC)))
        assert run("contest", "cancel").status == 0
        assert store.close_contest(number, datetime.now(UTC), 1)
    assert "verified: 0 games" in run("contest", str(file)).out


def test_people_are_invited_listed_and_given_roles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "new" / "arena-data"
    administration.invite("ann", "bob", data=data, url="https://arena.example.org/")
    links = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [name for name, _ in links] == ["ann", "bob"]
    assert all(link.startswith("https://arena.example.org/join/") for _, link in links)
    administration.role("bob", "organiser", data=data)
    administration.close("ann", data=data)
    administration.show(data=data)
    listed = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [(name, role) for name, role, _ in listed] == [("ann", "author, closed"), ("bob", "organiser")]
    with pytest.raises(SystemExit, match="1"):
        administration.role("bob", "author", data=data)


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: administration.show(data=data),
        lambda data: administration.role("ann", "author", data=data),
        lambda data: administration.close("ann", data=data),
        lambda data: administration.reopen("ann", data=data),
    ],
    ids=["list", "role", "close", "open"],
)
def test_a_directory_that_is_no_servers_stays_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ask: Callable[[Path], None]
) -> None:
    data = tmp_path / "mistyped"
    with pytest.raises(SystemExit) as ended:
        ask(data)
    assert (ended.value.code, capsys.readouterr().err.replace(str(data), "DATA")) == (
        2,
        snapshot(
            "arena-server: DATA has no accounts: there is no league.sqlite3 in it; give the directory of the server with --data\n"
        ),
    )
    assert not data.exists()


def test_token_is_printed_once_and_only_its_hash_is_kept(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "organiser.txt"
    (token,) = run("organiser-token").out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text()
    assert token not in text and tokens.fits(tokens.read_organiser(path), token)
    for words, sentence in (
        ((), snapshot("organiser.txt exists already; remove it to make another token")),
        (("--file", "none/o.txt"), snapshot("none/o.txt: No such file or directory")),
    ):
        said = run("organiser-token", *words)
        assert (said.status, said.out, said.fault) == (2, [], sentence)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text", ["", "a-token", "ann " + "0" * 64, "0" * 63, "A" * 64, f"{'0' * 64}\n{'1' * 64}", "# nothing\n", "\udcff"]
)
def test_file_that_is_none_gets_one_sentence_at_the_start(run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "organiser.txt"
    path.write_text(text, errors="surrogateescape")
    said = run("serve", "--organiser", str(path))
    assert (said.status, len(said.err)) == (2, 1) and said.err[0].startswith("arena-server: --organiser: ")
    assert not text.strip() or text not in said.err[0]
