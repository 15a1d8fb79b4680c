"""Error messages of the three programs for mistyped commands, and their help."""

import re
from collections.abc import Iterator
from pathlib import Path

import cyclopts
import pytest

from bots.cli import app as bot_app
from engine.cli import application
from server.cli import app as server_app
from server.config.builtin_bot import BUILTIN_BOTS
from tests.server.conftest import Run
from tests.server.process import run_program

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
        ("server", "serve x y", "no argument is expected here: x y"),
        ("engine", "perft gipf --depth 1 --wat", "Unknown option: --wat."),
        ("engine", "perft gipf", 'Command "perft" parameter --depth requires an argument.'),
        ("server", "dance", 'Unknown command "dance"'),
        ("server", "token a/b --tokens /nonexistent/t", "a name is 1 to 32 letters"),
        ("server", "demo --params 4,9,15,15", "--params: K is 9, but for S = 4 it lies between 2 and 7"),
        ("server", "serve --budget 0", "--budget is 0; it has to lie between 10 and 86400000"),
        ("server", "serve --speed 3", "Unknown option: --speed."),
        ("server", "serve --port x", 'Invalid value for --port: unable to convert "x" into int.'),
        ("server", "serve --port 70000", "--port is 70000; it has to lie between 0 and 65535"),
        ("server", "contest nowhere.toml --port 70000", "--port is 70000; it has to lie between 0 and 65535"),
        ("server", "serve --web here:00000099999", "--web is 'here:00000099999'; it is an address and a port"),
        ("server", "contest witdraw", "witdraw cannot be read: No such file or directory"),
        ("server", "contest nosuch.toml", "nosuch.toml cannot be read: No such file or directory"),
        ("server", "contest .", ". cannot be read: Is a directory"),
        ("server", "contest /dev/zero", "/dev/zero: 'zero' is longer than 2097152 characters"),
        ("server", "serve --tokens nosuch", "--tokens: nosuch: No such file or directory"),
        ("server", "serve --config nosuch", "nosuch cannot be read: No such file or directory"),
        ("server", "serve --tls-cert nosuch --tls-key nosuch", "--tls-cert, --tls-key: nosuch cannot be read"),
        (
            "server",
            "serve --builtin alfabeta",
            "--builtin: there is no bot 'alfabeta'; there is alphabeta, random",
        ),
        (
            "server",
            "serve --builtin random:arows",
            "--builtin: 'random:arows': there is no game 'arows'; there is gipf, ",
        ),
        ("server", "serve --builtin alphabeta:11", "--builtin: 'alphabeta:11': the level is '11', but it has to be"),
        ("server", "serve --builtin alphabeta:0:mnk", "--builtin: 'alphabeta:0:mnk': the level is '0', but it has"),
        ("server", "serve --builtin random:3", "--builtin: 'random:3': random has no levels; alphabeta has those from"),
        ("server", "serve --builtin alphabeta:mnk:3", "--builtin: 'alphabeta:mnk:3' is no bot: one is written KIND:"),
        ("server", "demo --first alphabeta:x", "--first: 'alphabeta:x': there is no game 'x'; there is gipf, "),
        ("server", "demo --second randon", "--second: there is no bot 'randon'; there is alphabeta, random"),
        ("server", "contest withdraw ann --data nosuch", "nosuch has no contests: there is no arena.sqlite3 in it; "),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(room: str, words: str, sentence: str, run: Run) -> None:
    found = run(*words.split(), room=room).fault
    assert found.startswith(sentence)
    assert "Errno" not in found and "Token" not in found


def test_files_that_are_no_text_and_directories_that_are_none_are_named(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe")
    assert run("contest", str(bad)).fault == f"{bad} is no UTF-8 text"
    assert run("serve", "--tokens", str(bad)).fault == f"--tokens: {bad}: it is no text in UTF-8"
    found = run("serve", "--no-web", "--port", "0", "--data", str(bad)).fault
    assert found.startswith("cannot serve: ") and str(bad) in found and "Errno" not in found


@pytest.mark.slow
def test_the_bots_that_a_server_knows_are_those_that_the_command_of_bots_has() -> None:
    """The server starts them by their names there, and may not import them."""
    for kind in BUILTIN_BOTS:
        assert "--host" in run_program("bots", kind, "--help").stdout


def test_each_option_of_a_file_reaches_the_server(run: Run, tmp_path: Path) -> None:
    """``ladder`` among them, which is the name of a command, too."""
    (tmp_path / "arena.toml").write_text('ladder = "nowhere.toml"\n')
    assert "nowhere.toml" in run("serve", "--config", "arena.toml").fault
