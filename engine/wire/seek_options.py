"""The options of SEEK, both ways: ``params=4,4,15,15 budget=1000 increment=10 colour=white opponent=bob``."""

import re
from typing import NamedTuple

from engine.games.interface import BadParameters, Game
from engine.wire.codes import Code, ProtocolError
from engine.wire.messages import MICROSECONDS
from engine.wire.words import NAME_PATTERN, parameters_of, word_of

KEYS = ("params", "budget", "increment", "colour", "opponent")


class SeekOptions(NamedTuple):
    """What a SEEK asks for. None leaves it open."""

    parameters: str | None = None
    """In canonical form."""
    budget: int | None = None
    """In microseconds, as the increment."""
    increment: int | None = None
    side: int | None = None
    opponent: str | None = None


def read_options(game: Game, text: str, *, name: str, least_budget: int, most_budget: int) -> SeekOptions:
    """Read the options of a SEEK of the player ``name``; budgets lie between both bounds, in microseconds.

    Raises `ProtocolError` for the first option that is wrong.
    """
    given: dict[str, str] = {}
    for option in text.split():
        key, equals, value = option.partition("=")
        if not equals or key not in KEYS:
            sentence = f"{option!r} is no option of SEEK; these are {', '.join(f'{key}=…' for key in KEYS)}"
            raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
        if key in given:
            raise ProtocolError(Code.BAD_ARGUMENTS, f"{key} is given twice")
        given[key] = value
    options = SeekOptions()
    if "params" in given:
        try:
            options = options._replace(parameters=game.parameters(parameters_of(given["params"])))
        except BadParameters as error:
            usual = word_of(game.default_parameters)
            written = f"; in one word, with commas: params={usual}" if usual else ""
            raise ProtocolError(Code.BAD_PARAMETERS, f"{error}{written}") from None
    if "budget" in given:
        options = options._replace(budget=_time("budget", given["budget"], least_budget, most_budget))
    if "increment" in given:
        options = options._replace(increment=_time("increment", given["increment"], 0, most_budget))
    if "colour" in given:
        if given["colour"] not in game.sides:
            sentence = f"colour is {' or '.join(game.sides)}, not {given['colour']!r}"
            raise ProtocolError(Code.BAD_ARGUMENTS, sentence)
        options = options._replace(side=game.sides.index(given["colour"]))
    if "opponent" in given:
        opponent = given["opponent"]
        if not re.fullmatch(NAME_PATTERN, opponent) or opponent.lower() == name.lower():
            raise ProtocolError(Code.BAD_ARGUMENTS, f"opponent is the name of another player, not {opponent!r}")
        options = options._replace(opponent=opponent)
    return options


def write_options(game: Game, options: SeekOptions) -> str:
    """Return options as they are written; `read_options` reads them back."""
    values = (
        None if options.parameters is None else word_of(options.parameters),
        None if options.budget is None else options.budget // MICROSECONDS,
        None if options.increment is None else options.increment // MICROSECONDS,
        None if options.side is None else game.sides[options.side],
        options.opponent,
    )
    return " ".join(f"{key}={value}" for key, value in zip(KEYS, values, strict=True) if value is not None)


def _time(key: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,12}", text) or not least <= int(text) * MICROSECONDS <= most:
        sentence = f"{key} is {least // MICROSECONDS} to {most // MICROSECONDS} milliseconds, not {text!r}"
        raise ProtocolError(Code.BAD_TIME, sentence)
    return int(text) * MICROSECONDS
