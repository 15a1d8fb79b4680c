"""Validation of the arguments of `bots.client.run.play`, before a connection is made."""

import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeGuard

from bots.bot import Bot, FunctionBot
from bots.client.errors import ArenaError
from bots.client.transport.address import Address, address
from engine.games.catalogue import GAMES
from engine.games.interface import BadParameters
from engine.wire import messages as m
from engine.wire.fields import SeekOptions, write_options
from engine.wire.messages import MICROSECONDS
from engine.wire.seat import said_in, variable
from engine.wire.words import ANY, LADDER, NAME_PATTERN, NAME_RULE, parameters_of, word_of

DEFAULT_HOST = "127.0.0.1"


class Given(NamedTuple):
    """The value of an argument."""

    value: object
    variable: str = ""
    """The environment variable that it was read from; empty where the call has it, or it is a default."""

    def error(self, sentence: str) -> ArenaError:
        """Return an error about the value, which names the variable."""
        return ArenaError(f"{self.variable}: {sentence}" if self.variable else sentence)


def take_given(
    environment: Mapping[str, str], arguments: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, Given]:
    """Return each argument as the call has it, where that is None as the environment says it, else by default."""
    said: dict[str, object] = dict(said_in(environment))
    if (port := said.get("port")) and str(port).isdecimal():
        said["port"] = int(str(port))
    if params := said.get("params"):
        said["params"] = parameters_of(str(params))
    found = {}
    for name, value in arguments.items():
        if value is not None:
            found[name] = Given(value)
        elif name in said:
            found[name] = Given(said[name], variable(name))
        else:
            found[name] = Given(defaults[name])
    return found


def own_name() -> str:
    """Return the name of the program that runs, as of mybot.py; empty where it has none."""
    program = Path(sys.argv[0] if sys.argv else "")
    return program.stem if program.suffix == ".py" else ""


CHOSEN_BY = {ANY: "a contest", LADDER: "the ladder"}
"""In place of a game: who says what is played."""

MAX_PORT = 65535
MAX_TOKEN = 256
"""Longest token in characters: it has to fit into a line."""


def player(bot: object) -> Bot:
    """Return a bot, wrapping a function."""
    if isinstance(bot, Bot):
        return bot
    if inspect.isclass(bot) and issubclass(bot, Bot):
        raise ArenaError(f"play needs a bot, not the class of one: write play({bot.__name__}(), …)")
    if not callable(bot):
        raise ArenaError(f"play needs a Bot, or a function that takes position and clocks; not {_shown(bot)}")
    try:
        inspect.signature(bot).bind(None, None)
    except TypeError:
        name = getattr(bot, "__qualname__", type(bot).__name__)
        raise ArenaError(
            f"{name} is called with two arguments, position and clocks, but is written {name}{inspect.signature(bot)}"
        ) from None
    except ValueError:  # a callable that does not tell what it takes
        pass
    return FunctionBot(bot)


def where(host: Given, port: Given, *, tls: bool, tls_ca: str) -> Address:
    """Return the address of a server."""
    name, number = host.value, port.value
    if not isinstance(name, str) or not name or not name.isprintable() or " " in name:
        raise host.error(f"host is the name or address of a machine, as in '127.0.0.1'; not {_shown(name)}")
    if not _is_number(number) or not 1 <= number <= MAX_PORT:
        raise port.error(f"port is a whole number from 1 to {MAX_PORT}, not {_shown(number)}")
    return address(name, number, tls=tls, tls_ca=tls_ca)


def login(name: Given, token: Given) -> m.Login:
    """Return LOGIN for a name and a token."""
    secret = token.value
    if not isinstance(secret, str) or not secret.isprintable() or " " in secret or len(secret) > MAX_TOKEN:
        raise token.error("token is one word of printable characters, as the organiser has given it")
    return m.Login(_name("name", name), secret)


def seek(
    game: Given, params: Given, budget: object, increment: object, colour: object, opponent: object, name: str
) -> m.Seek:
    """Return SEEK for options, of which all but the game may be empty or None."""
    if game.value not in (*GAMES, *CHOSEN_BY):
        known = f"known are {', '.join(GAMES)}, {ANY} for contests, and {LADDER} for the ladder"
        raise game.error(f"unknown game {_shown(game.value)}; {known}")
    if game.value in CHOSEN_BY:
        word = str(game.value)
        asked = params.value and not params.variable  # the variant of the one game that a program was started for
        if asked or colour or opponent or budget is not None or increment is not None:
            raise ArenaError(
                f"{CHOSEN_BY[word]} says what is played against whom: beside {word} nothing can be asked for"
            )
        return m.Seek(word)
    rules = GAMES[str(game.value)]
    options = SeekOptions()
    if params.value:
        variant = params.value
        if not isinstance(variant, str):
            raise params.error(f"params is text, as in {word_of(rules.default_parameters)!r}; not {_shown(variant)}")
        try:
            options = options._replace(parameters=rules.parameters(variant))
        except BadParameters as error:
            raise params.error(f"params {_shown(variant)} name no variant of {rules.name}: {error}") from error
    options = options._replace(budget=_time("budget", budget, 1), increment=_time("increment", increment, 0))
    if colour:
        if colour not in rules.sides:
            raise ArenaError(f"colour is {' or '.join(rules.sides)} in {rules.name}, not {_shown(colour)}")
        options = options._replace(side=rules.sides.index(str(colour)))
    if opponent:
        options = options._replace(opponent=_name("opponent", Given(opponent)))
        if str(opponent).lower() == name.lower():
            raise ArenaError(f"opponent is the name of another player, not the bot's own, {name!r}")
    return m.Seek(rules.name, m.Text(write_options(rules, options)))


def count(games: object) -> int:
    """Validate the number of matches to play."""
    if not _is_number(games) or games < 0:
        raise ArenaError(f"games is how many matches to play, 0 for no end; not {_shown(games)}")
    return games


def _time(argument: str, milliseconds: object, least: int) -> int | None:
    """Return a time in microseconds."""
    if milliseconds is None:
        return None
    if not _is_number(milliseconds) or milliseconds < least:
        raise ArenaError(f"{argument} is a whole number of milliseconds, {least} or more; not {_shown(milliseconds)}")
    return milliseconds * MICROSECONDS


def _name(argument: str, name: Given) -> str:
    if not isinstance(name.value, str) or not re.fullmatch(NAME_PATTERN, name.value):
        raise name.error(f"{argument} is {NAME_RULE}, as in 'mybot'; not {_shown(name.value)}")
    return name.value


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    return f"{value!r:.60}"
