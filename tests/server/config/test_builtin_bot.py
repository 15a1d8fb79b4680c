"""Built-in bots as they are written."""

import re

import pytest

from engine.wire.words import NAME_PATTERN
from server.config.builtin_bot import BadBuiltinBot, BuiltinBot, builtin_bot_named, read_builtin_bot


@pytest.mark.parametrize(
    ("text", "bot", "name"),
    [
        ("random", BuiltinBot("random"), "random"),
        ("random:arrows", BuiltinBot("random", None, "arrows"), "random-arrows"),
        ("alphabeta:3", BuiltinBot("alphabeta", 3), "alphabeta-3"),
        ("alphabeta:10", BuiltinBot("alphabeta", 10), "alphabeta-10"),
        ("alphabeta:3:arrows", BuiltinBot("alphabeta", 3, "arrows"), "alphabeta-3-arrows"),
        ("alphabeta:3:gipf", BuiltinBot("alphabeta", 3), "alphabeta-3"),
        ("alphabeta:mnk", BuiltinBot("alphabeta", None, "mnk"), "alphabeta-mnk"),
    ],
)
def test_kind_level_and_game_are_read_and_make_the_name(text: str, bot: BuiltinBot, name: str) -> None:
    assert read_builtin_bot(text) == bot == builtin_bot_named(name)
    assert bot.name == name
    assert re.fullmatch(NAME_PATTERN, name)


def test_the_level_is_an_argument_where_one_is_named() -> None:
    assert read_builtin_bot("alphabeta:3:mnk").arguments == ("alphabeta", "--level", "3")
    assert read_builtin_bot("alphabeta").arguments == ("alphabeta",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no bot ''; there is alphabeta, random"),
        ("alfabeta:3", "there is no bot 'alfabeta'; there is alphabeta, random; did you mean alphabeta?"),
        ("random:3", "'random:3': random has no levels; alphabeta has those from 1 to 10"),
        ("alphabeta:11", "'alphabeta:11': the level is '11', but it has to be a whole number from 1 to 10"),
        ("alphabeta:3x", "'alphabeta:3x': the level is '3x', but it has to be a whole number from 1 to 10"),
        ("alphabeta:", "'alphabeta:': there is no game ''; there is gipf, "),
        ("alphabeta:3:halma", "'alphabeta:3:halma': there is no game 'halma'; there is gipf, "),
        ("alphabeta:mnk:3", "'alphabeta:mnk:3' is no bot: one is written KIND:LEVEL:GAME, as in alphabeta:3:gipf"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadBuiltinBot) as caught:
        read_builtin_bot(text)
    assert str(caught.value).startswith(sentence)
