"""Mistakes in the arguments of `play`: each is one sentence, before anything is connected."""

from typing import Any

import pytest

from bots.client.run import ArenaError, play
from bots.random_bot import RandomBot
from engine.games.interface import Position


def chooses_alone(position: Position) -> str:
    raise AssertionError("nobody is asked")


NAME = "1 to 32 letters, digits, and any of _ . - behind the first, as in 'mybot'"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": "my bot"}, f"name is {NAME}; not 'my bot'"),
        ({"name": ""}, f"name is {NAME}; not ''"),
        ({"name": "x" * 33}, f"name is {NAME}; not '{'x' * 33}'"),
        ({"name": "mybot\n"}, f"name is {NAME}; not 'mybot\\n'"),
        ({"name": 7}, f"name is {NAME}; not 7"),
        ({"opponent": "the best"}, f"opponent is {NAME}; not 'the best'"),
        ({"opponent": "MyBot"}, "opponent is the name of another player, not the bot's own, 'mybot'"),
        ({"token": "two words"}, "token is one word of printable characters, as the organiser has given it"),
        ({"game": "chess"}, "unknown game 'chess'; known are gipf, arrows, morris, mnk, any for contests, and ladder"),
        ({"game": "any", "colour": "white"}, "a contest says what is played against whom: beside any nothing can be"),
        ({"game": "ladder", "budget": 5}, "the ladder says what is played against whom: beside ladder nothing can be"),
        ({"params": (4, 4, 15, 15)}, "params is text, as in '4,4,15,15'; not (4, 4, 15, 15)"),
        ({"params": "3 3"}, "params '3 3' name no variant of gipf: "),
        ({"budget": 0}, "budget is a whole number of milliseconds, 1 or more; not 0"),
        ({"budget": 1.5}, "budget is a whole number of milliseconds, 1 or more; not 1.5"),
        ({"increment": "10 budget=5"}, "increment is a whole number of milliseconds, 0 or more; not '10 budget=5'"),
        ({"colour": "red"}, "colour is white or black in gipf, not 'red'"),
        ({"game": "arrows", "colour": "white"}, "colour is first or second in arrows, not 'white'"),
        ({"games": -1}, "games is how many matches to play, 0 for no end; not -1"),
        ({"games": True}, "games is how many matches to play, 0 for no end; not True"),
        ({"host": "my host"}, "host is the name or address of a machine, as in '127.0.0.1'; not 'my host'"),
        ({"host": 7}, "host is the name or address of a machine, as in '127.0.0.1'; not 7"),
        ({"port": 0}, "port is a whole number from 1 to 65535, not 0"),
        ({"port": "2754"}, "port is a whole number from 1 to 65535, not '2754'"),
        ({"bot": RandomBot}, "play needs a bot, not the class of one: write play(RandomBot(), …)"),
        ({"bot": "random"}, "play needs a Bot, or a function that takes position and clocks; not 'random'"),
        (
            {"bot": chooses_alone},
            "chooses_alone is called with two arguments, position and clocks, but is written "
            "chooses_alone(position: engine.games.interface.Position) -> str",
        ),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_before_anything_is_connected(arguments: dict[str, Any], sentence: str) -> None:
    usual: dict[str, Any] = {"bot": RandomBot(), "name": "mybot", "port": 1}
    bot, *_ = [arguments.get("bot", usual["bot"])]
    options = {key: value for key, value in {**usual, **arguments}.items() if key != "bot"}
    with pytest.raises(ArenaError) as caught:
        play(bot, **options)
    assert str(caught.value).startswith(sentence)
    assert type(caught.value) is ArenaError, "an argument is wrong, not the way to the server"
