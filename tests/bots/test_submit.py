"""``arena-bot submit``: the files of a folder that are sent, the words meanwhile, the end; and hostile leagues."""

import http.server
import io
import itertools
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from bots.client.errors import ArenaError
from bots.commands import author as command
from bots.commands.author import League, LeagueBot

ENTRY = LeagueBot(name="ann-1", token="secret")


def test_a_league_is_on_the_machine_of_the_server_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for host, url in (("", "http://127.0.0.1:8080"), ("arena.example.org", "http://arena.example.org:8080")):
        monkeypatch.setenv("ARENA_HOST", host)
        assert League(ENTRY).url == url
    named = LeagueBot(name="ann-1", token="secret", server="https://league.example.org/")
    assert League(named).url == "https://league.example.org"
    for server, url in (
        ("127.0.0.1:8291", "http://127.0.0.1:8291"),
        ("localhost:8291/", "http://localhost:8291"),
        ("arena.example.org", "http://arena.example.org:8080"),
        ("[::1]:8291", "http://[::1]:8291"),
    ):
        assert League(LeagueBot(name="ann-1", token="secret", server=server)).url == url


class ScriptedLeague:
    """Tells of a version what it was told to tell, one after the other."""

    def __init__(self, *told: dict[str, Any]) -> None:
        self.url = "https://arena.example.org"
        self.told = list(told)
        self.asked: list[str] = []
        self.sent = b""

    def ask(self, path: str, data: bytes | None = None) -> dict[str, Any]:
        self.asked.append(path)
        if path == "versions":
            return {"versions": []}
        self.sent = data or self.sent
        return self.told.pop(0)


def told(state: str, log: str = "", *, minutes: int | None = None, why: str = "") -> Any:
    place = {"bot": "ann-1", "version": 3, "page": "/bots/ann-1/versions/3", "sha256": "5a5a"}
    is_under_way = state in ("waiting", "building", "checking", "qualifying")
    return place | {
        "state": state,
        "log": log,
        "minutes": minutes,
        "sentence": why,
        "is_under_way": is_under_way,
    }


def submit(
    monkeypatch: pytest.MonkeyPatch, path: Path, *answers: dict[str, Any], detach: bool = False
) -> ScriptedLeague:
    """Send a bot; the command returns only where it does not wait for what becomes of it."""
    league = ScriptedLeague(*answers)
    monkeypatch.setattr(command, "League", lambda _entry: league)
    monkeypatch.setattr(command, "LOOK_SECONDS", 0)
    command.submit(path, entry=ENTRY, detach=detach)
    return league


def sent(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """Return the names of the files that are sent of a folder."""
    league = submit(monkeypatch, folder, told("waiting"), detach=True)
    with zipfile.ZipFile(io.BytesIO(league.sent)) as packed:
        return packed.namelist()


def write(folder: Path, **files: str) -> Path:
    """Write files, whose names have __ for / and _ for a point."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def git(folder: Path, *words: str) -> None:
    author = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    subprocess.run(("git", *author, *words), cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("last", "status", "said"),
    [
        (told("active", "== build\nmade\n== check\n30 ok, 0 FAIL\n"), 0, "-- waiting\n-- active\n"),
        (told("refused", "== build\nbad C\n", why="it failed"), 1, "-- waiting\nbad C\n-- refused: it failed\n"),
        (told("refused", why="no files"), 1, "-- waiting\n-- refused: no files\n"),
    ],
    ids=["passes", "refused", "refused before its first step"],
)
def test_the_status_tells_whether_it_plays_and_each_step_has_a_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    last: dict[str, Any],
    status: int,
    said: str,
) -> None:
    bot = write(tmp_path, bot_py="print()") / "bot.py"
    waiting, building = told("waiting"), told("building", "== build\n")
    with pytest.raises(SystemExit) as ended:
        submit(monkeypatch, bot, waiting, waiting, building, told("checking", "== build\nmade\n"), last)
    assert ended.value.code == status
    lines = [
        "version 3 of ann-1: 7 bytes sent; https://arena.example.org/bots/ann-1/versions/3\n",
        "SHA-256 5a5a\n",
        "-- waiting\n",
        "-- building\n-- checking\n",
    ]
    assert capsys.readouterr().out.startswith("".join(lines))
    with pytest.raises(SystemExit):
        submit(monkeypatch, bot, waiting, last)
    assert capsys.readouterr().out.endswith(said)


def test_of_a_failed_conformance_test_failures_and_the_summary_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bot = write(tmp_path, bot_py="print()") / "bot.py"
    log = "== building\nmade\n== checking\nok    plays\nskip  rows: no\nFAIL  stops\n      it went on\n1 ok, 1 FAIL\n"
    with pytest.raises(SystemExit):
        submit(monkeypatch, bot, told("checking", log[:40]), told("refused", log, why="it failed"))
    shown = capsys.readouterr().out.partition("SHA-256 5a5a\n")[2]
    assert shown.splitlines() == snapshot(
        ["-- checking", "FAIL  stops", "      it went on", "1 ok, 1 FAIL", "-- refused: it failed"]
    )


def test_who_does_not_wait_is_told_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bot = write(tmp_path, bot_py="print()") / "bot.py"
    league = submit(monkeypatch, bot, told("waiting"), detach=True)
    assert league.asked == ["versions", "versions?file=bot.py"] and league.sent == b"print()"
    assert capsys.readouterr().out.splitlines()[1:] == ["SHA-256 5a5a"]


def test_files_of_ignore_lists_in_folders_below_stay_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(tmp_path, _gitignore="*.o\n", bot_c="", bot_o="", lib___gitignore="data/\n!keep.o\n")
    write(tmp_path, lib__x_c="", lib__keep_o="", lib__data__large_bin="")
    os.utime(tmp_path / "bot.c", (0, 0))  # before the first date that archives know
    assert sent(monkeypatch, tmp_path) == [".gitignore", "bot.c", "lib/.gitignore", "lib/keep.o", "lib/x.c"]


def test_of_a_folder_in_a_repository_stays_here_what_the_repository_ignores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path, _gitignore="*.log\nsecrets/\n", notes_txt="")
    bot = write(tmp_path / "bots" / "mine", bot_py="", weights_bin="", new_py="", gone_py="", a_log="", secrets__key="")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "bots/mine/bot.py", "bots/mine/gone.py", "notes.txt")
    write(bot, kept_log="")
    git(tmp_path, "add", "-f", "bots/mine/kept.log")
    git(tmp_path, "commit", "-q", "-m", "A bot")
    (bot / "gone.py").unlink()
    assert sent(monkeypatch, bot) == ["bot.py", "kept.log", "new.py", "weights.bin"]
    assert ".git/HEAD" not in sent(monkeypatch, tmp_path)


def test_a_folder_that_a_repository_ignores_is_sent_by_its_own_lists(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path, _gitignore="*\n")
    bot = write(tmp_path / "mine", bot_py="", bot_pyc="", _gitignore="*.pyc\n")
    git(tmp_path, "init", "-q")
    assert sent(monkeypatch, bot) == [".gitignore", "bot.py"]


def test_where_there_is_no_git_all_goes_that_is_not_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(tmp_path, _gitignore="*.o\n", bot_py="", lib__x_o="", _git__HEAD="")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "bot.pyc").touch()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert shutil.which("git") is None and sent(monkeypatch, tmp_path) == ["bot.py", "lib/x.o"]


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, list[str | None]]]:
    """Answer every request in these bytes, without end where they have no length; yield the URL, and the tokens."""
    tokens: list[str | None] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tokens.append(self.headers.get("authorization"))
            self.wfile.write(answer)
            try:
                for _ in itertools.count() if b"content-length" not in answer else ():
                    self.wfile.write(b"[" * 65536)
            except OSError:  # the client has enough
                pass

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_what: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", tokens
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("data", [None, b"zip"])
def test_a_token_goes_to_no_other_server(data: bytes | None) -> None:
    with answering(b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}") as (other, tokens):
        redirect = f"HTTP/1.0 302 Found\r\nlocation: {other}/stolen\r\ncontent-length: 0\r\n\r\n"
        with answering(redirect.encode()) as (league, _), pytest.raises(ArenaError, match=other):
            League(LeagueBot(name="ann-1", token="secret", server=league)).ask("versions", data)
    assert tokens == []


def test_an_answer_of_a_league_has_an_end() -> None:
    with answering(b"HTTP/1.0 200 OK\r\n\r\n") as (league, _), pytest.raises(ArenaError, match="more than"):
        League(LeagueBot(name="ann-1", token="secret", server=league)).ask("versions")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("<html>", snapshot("URL is no league: it does not answer with an object of JSON")),
        ("[]", snapshot("URL is no league: it does not answer with an object of JSON")),
        ("[" * 100_000, snapshot("URL is no league: it does not answer with an object of JSON")),
        ("{}", snapshot("this is no league: its answer has no field sentence")),
        ('{"sentence": "a\\u001b[2Jb\\nc"}', snapshot("a [2Jb\nc")),
    ],
)
def test_an_answer_that_is_not_of_a_league_is_refused_and_cannot_control_a_terminal(answer: str, sentence: str) -> None:
    with answering(f"HTTP/1.0 200 OK\r\ncontent-length: {len(answer)}\r\n\r\n{answer}".encode()) as (url, _):
        try:
            said = League(LeagueBot(name="ann-1", token="secret", server=url)).ask("versions")["sentence"]
        except ArenaError as error:
            said = str(error).replace(url, "URL")
    assert said == sentence
