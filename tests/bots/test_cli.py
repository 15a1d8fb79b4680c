"""The command line ``arena-bot``, and the examples of its help."""

import shlex
import subprocess
import sys
from contextlib import suppress

import pytest
from inline_snapshot import snapshot

from bots.alphabeta_bot import AlphaBetaBot
from bots.cli import COMMANDS, app, main
from bots.commands import online
from tests.bots.fake import FakeServer
from tests.bots.scripts import QUIT, login_of
from tests.bots.texts import BOARD, board_of

LOGIN = login_of("random")
ENDED = f"""
< MATCH 17 gipf 4,4,15,15 white bob 60000 0 1000 secret
{BOARD}
> READY
< RESULT 17 white resign 59850 59800 bob (black) resigned
> PING settled
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command line; return its status and what it printed."""
    status = 0
    try:
        main(list(arguments))
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_host_that_nobody_knows_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason that the system gives, which differs from one to another."""
    status, output, error = run(capsys, "random", "--host", "no-such-host.invalid")
    assert (status, output, error.count("\n")) == (1, "", 1)
    assert "no-such-host.invalid port 2754: " in error


def test_what_is_wished_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "sesame")
    login = LOGIN.replace("LOGIN random", "LOGIN lucky sesame").replace("WELCOME random", "WELCOME lucky")
    seek = "> SEEK gipf params=3,3,10,10 budget=1000 increment=10 colour=black opponent=bob\n< SEEKING gipf\n"
    monkeypatch.setenv("ARENA_NAME", "lucky")
    options = "--params 3,3,10,10 --budget 1000 --increment 10 --colour black --opponent bob --seed 1"
    with FakeServer(login + seek + ENDED + QUIT) as server:
        status, output, error = run(capsys, "random", "--port", str(server.port), *options.split())
    assert (status, output) == (0, "")
    assert [line.partition(":")[0] for line in error.splitlines()] == ["match 17", "match 17"]


def test_quiet_matches(capsys: pytest.CaptureFixture[str]) -> None:
    seek = "> SEEK gipf\n< SEEKING gipf\n"
    games = ENDED + "< PONG settled\n" + seek + ENDED.replace("17", "18")
    with FakeServer(LOGIN + seek + games + QUIT) as server:
        printed = run(capsys, "random", "--port", str(server.port), "--games", "2", "--quiet")
    assert printed == (0, "", "")


def test_a_refusal_takes_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(LOGIN + "> SEEK gipf\n< ERROR stopping no new matches\n" + QUIT) as server:
        status, output, error = run(capsys, "random", "--port", str(server.port))
    assert (status, output, error.count("\n")) == (1, "", 1)
    assert error.startswith("arena-bot: ") and error.endswith(" (stopping)\n")


def test_alphabeta_is_warm_before_it_logs_in(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[tuple[str, str]] = []
    monkeypatch.setattr(AlphaBetaBot, "warm", lambda self, game, params: warmed.append((game, params)))
    login = LOGIN.replace("random", "alphabeta") + "> SEEK gipf params=6,4,20,20\n< SEEKING gipf params=6,4,20,20\n"
    ended = ENDED.replace("4,4,15,15", "6,4,20,20").replace(BOARD, board_of("6 4 20 20"))
    options = "--params 6,4,20,20 --level 1"
    with FakeServer(login + ended + QUIT) as server:
        status, _, error = run(capsys, "alphabeta", "--port", str(server.port), *options.split())
    assert status == 0
    assert warmed == [("gipf", "6,4,20,20")]
    assert error.splitlines()[0].startswith("match 17: GIPF 6 4 20 20"), "nothing is waited for"


def test_alphabeta_is_warm_for_the_variant_that_a_contest_has_started_it_for(monkeypatch: pytest.MonkeyPatch) -> None:
    warmed: list[tuple[str, str]] = []
    monkeypatch.setattr(AlphaBetaBot, "warm", lambda self, game, params: warmed.append((game, params)))
    monkeypatch.setattr(online, "play_with", lambda *_what: None)
    monkeypatch.setenv("ARENA_GAME", "gipf")
    monkeypatch.setenv("ARENA_PARAMS", "3,3,9,9")
    for options in ((), ("--params", "6,4,20,20"), ("--game", "mnk")):
        with suppress(SystemExit):
            main(["alphabeta", *options])
    assert warmed == [("gipf", "3 3 9 9"), ("gipf", "6,4,20,20"), ("mnk", "")]


@pytest.mark.slow
def test_alphabeta_has_loaded_the_compiler_before_a_contest_says_what_is_played() -> None:
    script = "online.play_with = lambda *_what: print('numba' in sys.modules)"
    command = f"import sys; from bots.cli import main; from bots.commands import online; {script}; main()"
    printed = subprocess.check_output([sys.executable, "-P", "-c", command, "alphabeta", "--game", "any"], text=True)
    assert printed == "True\n"


def test_warming_where_nothing_compiles_takes_no_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    status, output, error = run(capsys, "warm", "gipf", "6,4,20,20")
    assert (status, output) == (0, "")
    assert error.strip() == snapshot("GIPF 6 4 20 20, search: nothing is compiled, NUMBA_DISABLE_JIT says so")


def test_the_log_of_a_match(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    arena = "< ARENA 1 gipf-arena/0.1.0 open\n"
    lines = "< LOG 17 2\n< | white 9 | Traceback\n< | white 9 |   File\n"
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    with FakeServer(arena + "> LOG 17 secret\n" + lines + QUIT) as server:
        found = run(capsys, "log", "17", "--name", "ann", "--port", str(server.port))
    assert found == (0, "white 9 | Traceback\nwhite 9 |   File\n", "")
    monkeypatch.delenv("ARENA_TOKEN")
    with FakeServer(arena + "> LOGIN ann\n< WELCOME ann\n> LOG 17\n< LOG 17 0\n" + QUIT) as server:
        found = run(capsys, "log", "17", "--name", "ann", "--port", str(server.port))
    assert found[:2] == (0, "")
    assert found[2].strip() == snapshot("nothing was written in match 17")
    with FakeServer(arena + "> LOG 17 guess\n< ERROR bad_token it is for its players\n" + QUIT) as server:
        found = run(capsys, "log", "17", "--token", "guess", "--port", str(server.port))
    assert found[:2] == (1, "") and found[2].endswith(" (bad_token)\n")
    with FakeServer(arena + "> LOG 17 ours\n< LOG 17 0\n" + QUIT) as server:
        monkeypatch.setenv("ARENA_HOST", "127.0.0.1")
        monkeypatch.setenv("ARENA_PORT", str(server.port))
        assert run(capsys, "log", "17", "--token", "ours")[0] == 0


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("WELCOME ann-2", snapshot("arena-bot: ann is logged in: end that bot first, or show its log with --token")),
        (
            "ERROR name_taken ann plays in match 18; for a bot ARENA_NAME=ann-2",
            snapshot("arena-bot: the log of ann cannot be shown by --name: ann plays in match 18"),
        ),
    ],
)
def test_the_log_of_a_bot_that_is_logged_in(answer: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(f"< ARENA 1 gipf-arena/0.1.0 open\n> LOGIN ann\n< {answer}\n{QUIT}") as server:
        found = run(capsys, "log", "17", "--name", "ann", "--port", str(server.port))
    assert found[:2] == (1, "")
    assert found[2].strip() == said


EXAMPLES = [(command.name, line) for command in COMMANDS for line, _ in command.examples]


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_an_example_is_a_right_command_line(name: str, line: str) -> None:
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("arena-bot", name)
    app.parse_args([command, *arguments], exit_on_error=False, print_error=False)


def test_help_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    app(["check", "--help"], result_action="return_value")
    shown = " ".join(capsys.readouterr().out.split())
    (check,) = (command for command in COMMANDS if command.name == "check")
    assert all(f"{line} ({purpose})" in shown for line, purpose in check.examples if purpose)
    assert f"Exit status: {check.statuses}." in shown
