"""The arguments of `play`, from its call and from the environment: mistakes are named before anything is connected."""

import sys
from typing import Any

import pytest

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
    ("game", "sentence"),
    [
        ("any", "ARENA_GAME=any: a contest chooses game and opponent; left out: opponent='random'"),
        ("ladder", "ARENA_GAME=ladder: the ladder chooses game and opponent; left out: opponent='random'"),
    ],
)
def test_a_bot_says_which_options_it_leaves_out(game: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GAME", game)
    calls: list[tuple[dict[str, Any], list[str]]]
    calls = [({"opponent": "random"}, [sentence]), ({"params": "", "opponent": ""}, []), ({}, [])]
    for call, said in calls:
        reported: list[str] = []
        with loading(), pytest.raises(LoadedBot):
            play(RandomBot(), report=reported.append, **call)
        assert reported == said
    with pytest.raises(ArenaError, match="chooses game and opponent: leave out all options"):
        play(RandomBot(), game=game, opponent="random")


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
        ("ARENA_HOST", "my host", "ARENA_HOST: host is the name or address of a machine, as in '127.0.0.1'; not 'my "),
        ("ARENA_PORT", "27x54", "ARENA_PORT: port is a whole number from 1 to 65535; not '27x54'"),
        ("ARENA_PORT", "70000", "ARENA_PORT: port is a whole number from 1 to 65535; not 70000"),
        ("ARENA_PARAMS", "3,3", "GIPF takes four numbers"),
        ("ARENA_GAMES", "-1", "ARENA_GAMES: games is how many matches to play, 0 for no end; not '-1'"),
    ],
)
def test_a_variable_that_says_nonsense_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ArenaError) as caught:
        play(RandomBot())
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("program", ["my bot.py", "-c", ""])
def test_a_program_whose_file_is_no_name_has_to_say_one(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(sys, "argv", [program])
    with pytest.raises(ArenaError, match="name is 1 to 32 letters"):
        play(RandomBot())


def test_what_is_said_is_heard_again() -> None:
    seat = Seat("127.0.0.1", 2754, "ann", "gipf")
    assert seat_fields(environment_variables(seat)) == {
        "host": "127.0.0.1", "port": "2754", "name": "ann", "game": "gipf"
    }  # fmt: skip


NAME = "1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": "my bot"}, f"name is {NAME}; not 'my bot'"),
        ({"name": "mybot\n"}, f"name is {NAME}; not 'mybot\\n'"),
        ({"name": 7}, f"name is {NAME}; not 7"),
        ({"opponent": "the best"}, f"opponent is {NAME}; not 'the best'"),
        ({"opponent": "MyBot"}, "opponent is the name of another player, not 'MyBot'"),
        ({"token": "two words"}, "token is one word of printable characters, as the organiser has given it; not"),
        ({"game": "chess"}, "game is one of gipf, arrows, morris, mnk, or any for contests, or ladder for the ladder"),
        ({"game": "any", "colour": "white"}, "a contest chooses game and opponent: leave out all options of"),
        ({"game": "ladder", "budget": 5}, "the ladder chooses game and opponent: leave out all options of"),
        ({"params": (4, 4, 15, 15)}, "params is text, as in '4,4,15,15'; not (4, 4, 15, 15)"),
        ({"params": "3 3"}, "GIPF takes four numbers"),
        ({"budget": 0}, "budget is a whole number of milliseconds, 1 or more; not 0"),
        ({"increment": "10 budget=5"}, "increment is a whole number of milliseconds, 0 or more; not '10 budget=5'"),
        ({"colour": "red"}, "colour is white or black, not 'red'"),
        ({"games": -1}, "games is how many matches to play, 0 for no end; not -1"),
        ({"games": True}, "games is how many matches to play, 0 for no end; not True"),
        ({"host": "my host"}, "host is the name or address of a machine, as in '127.0.0.1'; not 'my host'"),
        ({"port": 0}, "port is a whole number from 1 to 65535; not 0"),
        ({"port": "2754"}, "port is a whole number from 1 to 65535; not '2754'"),
        ({"bot": RandomBot}, "play needs a Bot, or a function that takes position and clocks; not <class "),
        ({"bot": "random"}, "play needs a Bot, or a function that takes position and clocks; not 'random'"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_connected(arguments: dict[str, Any], sentence: str) -> None:
    usual: dict[str, Any] = {"bot": RandomBot(), "name": "mybot", "port": 1}
    bot, *_ = [arguments.get("bot", usual["bot"])]
    options = {key: value for key, value in {**usual, **arguments}.items() if key != "bot"}
    with pytest.raises(ArenaError) as caught:
        play(bot, **options)
    assert str(caught.value).startswith(sentence)
    assert type(caught.value) is ArenaError, "an argument is wrong, not the way to the server"
