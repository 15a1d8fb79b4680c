"""Mistakes in the arguments of `play`: each is one sentence, before anything is connected."""

from typing import Any

import pytest

from bots.client import ArenaError, play
from bots.random_bot import RandomBot

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
        ({"game": "any", "colour": "white"}, "a contest says what is played against whom: beside any no option can be"),
        ({"game": "ladder", "budget": 5}, "the ladder says what is played against whom: beside ladder no option can"),
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
