"""Help of the three programs, and the files that commands of the server read."""

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


def commands(app: cyclopts.App) -> Iterator[cyclopts.App]:
    """Return all commands of an application, itself first, that do something."""
    if app.default_command is not None:
        yield app
    for name in app:
        if not name.startswith("-"):
            yield from commands(app[name])


@pytest.mark.parametrize("room", APPS)
def test_no_flag_takes_back_another(room: str) -> None:
    found = list(commands(APPS[room]))
    assert len(found) > 5
    for app in found:
        arguments = app.assemble_argument_collection(default_parameter=APPS[room].default_parameter)
        flags = {name for argument in arguments for name in argument.names}
        assert {flag for flag in flags if flag.startswith("--no-")} <= {"--no-web", "--no-tablebase"}, app.name


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
