"""Error messages of the three programs for mistyped commands, and their help."""

import re
from collections.abc import Iterator
from pathlib import Path

import cyclopts
import pytest
from inline_snapshot import snapshot

from bots.cli import app as bot_app
from engine.cli import application
from server.cli import app as server_app
from server.config.builtin_bot import BUILTIN_BOTS
from tests.server.conftest import Run

APPS = {"server": server_app, "engine": application(), "bots": bot_app}


def pages(app: cyclopts.App, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Name all commands of an application, itself first."""
    yield words
    for name in app:
        if not name.startswith("-"):
            yield from pages(app[name], (*words, name))


@pytest.mark.slow
@pytest.mark.parametrize("room", APPS)
def test_no_help_offers_a_flag_that_takes_back_another(room: str, capsys: pytest.CaptureFixture[str]) -> None:
    app = APPS[room]
    found = list(pages(app))
    assert len(found) > 5
    for words in found:
        app([*words, "--help"], result_action="return_none")
        text = capsys.readouterr().out
        assert "Usage" in text
        flags = set(re.findall(r"--[a-z][a-z-]*", text))
        assert {flag for flag in flags if flag.startswith("--no-")} <= {"--no-web", "--no-tablebase"}, words


@pytest.mark.parametrize(
    ("room", "words", "sentence"),
    [
        ("server", "serve x y", snapshot("no argument is expected here: x y")),
        ("engine", "perft gipf --depth 1 --wat", snapshot("Unknown option: --wat.")),
        ("engine", "perft gipf", snapshot('Command "perft" parameter --depth requires an argument.')),
        (
            "server",
            "dance",
            snapshot(
                'Unknown command "dance". Did you mean "announce"? Available commands: serve, contest, people, ladder, verify, announce, audit, now, ...'
            ),
        ),
        (
            "server",
            "token a/b --tokens /nonexistent/t",
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'a/b'"),
        ),
        ("server", "demo --params 4,9,15,15", snapshot("--params: K is 9, but for S = 4 it lies between 2 and 7")),
        ("server", "serve --budget 0", snapshot("--budget is 0; it has to lie between 10 and 86400000")),
        ("server", "serve --speed 3", snapshot("Unknown option: --speed. Did you mean --user-header?")),
        ("server", "serve --port x", snapshot('Invalid value for --port: unable to convert "x" into int.')),
        ("server", "serve --port 70000", snapshot("--port is 70000; it has to lie between 0 and 65535")),
        ("server", "contest nowhere.toml --port 70000", snapshot("--port is 70000; it has to lie between 0 and 65535")),
        (
            "server",
            "serve --web here:00000099999",
            snapshot("--web is 'here:00000099999'; it is an address and a port, as in 127.0.0.1:8080"),
        ),
        ("server", "contest witdraw", snapshot("witdraw cannot be read: No such file or directory")),
        ("server", "contest nosuch.toml", snapshot("nosuch.toml cannot be read: No such file or directory")),
        ("server", "contest .", snapshot(". cannot be read: Is a directory")),
        (
            "server",
            "contest /dev/zero",
            snapshot("/dev/zero: 'zero' is longer than 2097152 characters, the limit for this file"),
        ),
        ("server", "serve --tokens nosuch", snapshot("--tokens: nosuch: No such file or directory")),
        ("server", "serve --config nosuch", snapshot("nosuch cannot be read: No such file or directory")),
        (
            "server",
            "serve --tls-cert nosuch --tls-key nosuch",
            snapshot("--tls-cert, --tls-key: nosuch cannot be read: No such file or directory"),
        ),
        (
            "server",
            "serve --builtin alfabeta",
            snapshot("--builtin: there is no bot 'alfabeta'; there is alphabeta, random"),
        ),
        (
            "server",
            "serve --builtin random:arows",
            snapshot("--builtin: 'random:arows': there is no game 'arows'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "server",
            "serve --builtin alphabeta:11",
            snapshot("--builtin: 'alphabeta:11': the level is '11', but it has to be a whole number from 1 to 10"),
        ),
        (
            "server",
            "serve --builtin alphabeta:0:mnk",
            snapshot("--builtin: 'alphabeta:0:mnk': the level is '0', but it has to be a whole number from 1 to 10"),
        ),
        (
            "server",
            "serve --builtin random:3",
            snapshot("--builtin: 'random:3': random has no levels; alphabeta has those from 1 to 10"),
        ),
        (
            "server",
            "serve --builtin alphabeta:mnk:3",
            snapshot("--builtin: 'alphabeta:mnk:3' is no bot: one is written KIND:LEVEL:GAME, as in alphabeta:3:gipf"),
        ),
        (
            "server",
            "demo --first alphabeta:x",
            snapshot("--first: 'alphabeta:x': there is no game 'x'; there is gipf, arrows, morris, mnk"),
        ),
        ("server", "demo --second randon", snapshot("--second: there is no bot 'randon'; there is alphabeta, random")),
        (
            "server",
            "contest withdraw ann --data nosuch",
            snapshot(
                "nosuch has no contests: there is no arena.sqlite3 in it; give the directory of the contest with --data"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(room: str, words: str, sentence: str, run: Run) -> None:
    found = run(*words.split(), room=room)
    assert (found.status, found.fault) == (2, sentence)


def test_files_that_are_no_text_and_directories_that_are_none_are_named(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe")
    assert run("contest", "bad.toml").fault == snapshot("bad.toml is no UTF-8 text")
    assert run("serve", "--tokens", "bad.toml").fault == snapshot("--tokens: bad.toml: it is no text in UTF-8")
    assert run("serve", "--no-web", "--port", "0", "--data", "bad.toml").fault == snapshot(
        "cannot serve: bad.toml: it exists already, and is left as it is: choose another name, or remove it"
    )


def test_the_bots_that_a_server_knows_are_those_that_the_command_of_bots_has(run: Run) -> None:
    """The server starts them by their names there, and may not import them."""
    for kind in BUILTIN_BOTS:
        assert "--host" in "\n".join(run(kind, "--help", room="bots").out)


def test_each_option_of_a_file_reaches_the_server(run: Run, tmp_path: Path) -> None:
    """``ladder`` among them, which is the name of a command, too."""
    (tmp_path / "arena.toml").write_text('ladder = "nowhere.toml"\n')
    assert "nowhere.toml" in run("serve", "--config", "arena.toml").fault
