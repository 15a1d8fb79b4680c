"""The arguments of `play`, from its call and from the environment: mistakes are named before anything is connected."""

import sys
from typing import Any

import pytest
from inline_snapshot import snapshot

from bots.client import ArenaError, Refused, play
from bots.client.run import LoadedBot, loading
from bots.client.session import Session
from bots.random_bot import RandomBot
from engine.wire.seat import Seat, environment_variables, seat_fields
from tests.bots.fake import FakeServer

SCRIPT = """
< ARENA 1 gipf-arena/0.1.0 open
> *
< WELCOME x
> PING settled
< PONG settled
> *
< BYE full enough
> QUIT
"""


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in environment_variables(Seat("", 0, "", "")):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "argv", ["/home/ann/mybot.py", "argument"])


def sought(monkeypatch: pytest.MonkeyPatch, told: dict[str, str], **arguments: object) -> tuple[str, str]:
    """Return LOGIN and SEEK of a bot that is told something by its environment."""
    with FakeServer(SCRIPT) as server:
        for name, value in ({"ARENA_PORT": str(server.port)} | told).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(Refused):
            play(RandomBot(), report=lambda line: None, **arguments)  # type: ignore[arg-type]
    return server.said[0], server.said[2]


ANN = {"ARENA_NAME": "ann", "ARENA_GAME": "mnk", "ARENA_PARAMS": "6,6,4", "ARENA_TOKEN": "5ec7e7"}
BOB = {"host": "127.0.0.1", "name": "bob", "token": "", "game": "gipf", "params": "3 3 9 9"}


@pytest.mark.parametrize(
    ("told", "call", "login", "seek"),
    [
        ({}, {}, "mybot", "gipf"),
        (ANN, {}, "ann 5ec7e7", "mnk params=6,6,4"),
        (ANN, {"opponent": "bob"}, "ann 5ec7e7", "mnk params=6,6,4 opponent=bob"),
        (ANN | {"ARENA_HOST": "no.such.host"}, BOB, "bob", "gipf params=3,3,9,9"),
        ({"ARENA_GAME": "morris", "ARENA_PARAMS": "-"}, {}, "mybot", "morris"),
        ({"ARENA_GAME": "gipf", "ARENA_PARAMS": "3,3,9,9"}, {"game": "any"}, "mybot", "any"),
        ({"ARENA_GAME": "any"}, {"game": "arrows", "opponent": "random", "params": "6", "budget": 5}, "mybot", "any"),
    ],
    ids=["file", "variables", "variables and call", "call first", "no parameters", "contest", "contest first"],
)
def test_a_program_plays_where_it_is_told(
    told: dict[str, str], call: dict[str, object], login: str, seek: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sought(monkeypatch, told, **call) == (f"LOGIN {login}", f"SEEK {seek}")


@pytest.mark.parametrize(
    ("game", "sentences"),
    [
        ("any", snapshot(["ARENA_GAME=any: a contest chooses game and opponent; left out: opponent='random'"])),
        ("ladder", snapshot(["ARENA_GAME=ladder: the ladder chooses game and opponent; left out: opponent='random'"])),
    ],
)
def test_a_bot_says_which_options_it_leaves_out(
    game: str, sentences: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_GAME", game)
    reported: list[str] = []
    for opponent in ("random", ""):
        with loading(), pytest.raises(LoadedBot):
            play(RandomBot(), report=reported.append, opponent=opponent)
    assert reported == sentences


@pytest.mark.parametrize(
    ("told", "call", "games"),
    [
        ({}, {}, 1),
        ({"ARENA_GAME": "any"}, {}, 0),
        ({}, {"game": "any"}, 0),
        ({"ARENA_GAME": "any", "ARENA_GAMES": "3"}, {}, 3),
        ({"ARENA_GAMES": "0"}, {}, 0),
        ({"ARENA_GAMES": "3"}, {"games": 2}, 2),
        ({"ARENA_GAMES": "3"}, {"games": 0}, 0),
    ],
)
def test_how_many_matches_a_bot_plays(
    told: dict[str, str], call: dict[str, Any], games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[int] = []
    monkeypatch.setattr(Session, "run", lambda _session, games: wanted.append(games))
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    play(RandomBot(), **call)
    assert wanted == [games]


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        (
            "ARENA_HOST",
            "my host",
            snapshot("ARENA_HOST: host is the name or address of a machine, as in '127.0.0.1'; not 'my host'"),
        ),
        ("ARENA_PORT", "27x54", snapshot("ARENA_PORT: port is a whole number from 1 to 65535; not '27x54'")),
        ("ARENA_PORT", "70000", snapshot("ARENA_PORT: port is a whole number from 1 to 65535; not 70000")),
        (
            "ARENA_PARAMS",
            "3,3",
            snapshot(
                "GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '3 3'; in one word, with commas: params=4,4,15,15"
            ),
        ),
        ("ARENA_GAMES", "-1", snapshot("ARENA_GAMES: games is how many matches to play, 0 for no end; not '-1'")),
    ],
)
def test_a_variable_that_says_nonsense_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ArenaError) as caught:
        play(RandomBot())
    assert str(caught.value) == sentence


@pytest.mark.parametrize("program", ["my bot.py", "-c", ""])
def test_a_program_whose_file_is_no_name_has_to_say_one(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(sys, "argv", [program])
    with pytest.raises(ArenaError, match=r"^name is "):
        play(RandomBot())


def test_what_is_said_is_heard_again() -> None:
    seat = Seat("127.0.0.1", 2754, "ann", "gipf")
    assert seat_fields(environment_variables(seat)) == {
        "host": "127.0.0.1", "port": "2754", "name": "ann", "game": "gipf"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"name": "my bot"},
            snapshot("name is 1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'; not 'my bot'"),
        ),
        (
            {"name": "mybot\n"},
            snapshot(
                "name is 1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'; not 'mybot\\n'"
            ),
        ),
        (
            {"name": 7},
            snapshot("name is 1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'; not 7"),
        ),
        (
            {"opponent": "the best"},
            snapshot(
                "opponent is 1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'; not 'the best'"
            ),
        ),
        ({"opponent": "MyBot"}, snapshot("opponent is the name of another player, not 'MyBot'")),
        (
            {"token": "two words"},
            snapshot("token is one word of printable characters, as the organiser has given it; not 'two words'"),
        ),
        (
            {"game": "chess"},
            snapshot(
                "game is one of gipf, arrows, morris, mnk, or any for contests, or ladder for the ladder; not 'chess'"
            ),
        ),
        (
            {"game": "any", "colour": "white"},
            snapshot("a contest chooses game and opponent: leave out all options of the match"),
        ),
        (
            {"game": "ladder", "budget": 5},
            snapshot("the ladder chooses game and opponent: leave out all options of the match"),
        ),
        ({"params": (4, 4, 15, 15)}, snapshot("params is text, as in '4,4,15,15'; not (4, 4, 15, 15)")),
        (
            {"params": "3 3"},
            snapshot(
                "GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '3 3'; in one word, with commas: params=4,4,15,15"
            ),
        ),
        ({"budget": 0}, snapshot("budget is a whole number of milliseconds, 1 or more; not 0")),
        (
            {"increment": "10 budget=5"},
            snapshot("increment is a whole number of milliseconds, 0 or more; not '10 budget=5'"),
        ),
        ({"colour": "red"}, snapshot("colour is white or black, not 'red'")),
        ({"games": -1}, snapshot("games is how many matches to play, 0 for no end; not -1")),
        ({"games": True}, snapshot("games is how many matches to play, 0 for no end; not True")),
        ({"host": "my host"}, snapshot("host is the name or address of a machine, as in '127.0.0.1'; not 'my host'")),
        ({"port": 0}, snapshot("port is a whole number from 1 to 65535; not 0")),
        ({"port": "2754"}, snapshot("port is a whole number from 1 to 65535; not '2754'")),
        (
            {"bot": RandomBot},
            snapshot(
                "play needs a Bot, or a function that takes position and clocks; not <class 'bots.random_bot.RandomBot'>"
            ),
        ),
        ({"bot": "random"}, snapshot("play needs a Bot, or a function that takes position and clocks; not 'random'")),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_connected(arguments: dict[str, Any], sentence: str) -> None:
    usual: dict[str, Any] = {"bot": RandomBot(), "name": "mybot", "port": 1}
    bot, *_ = [arguments.get("bot", usual["bot"])]
    options = {key: value for key, value in {**usual, **arguments}.items() if key != "bot"}
    with pytest.raises(ArenaError) as caught:
        play(bot, **options)
    assert str(caught.value) == sentence
    assert type(caught.value) is ArenaError, "an argument is wrong, not the way to the server"
