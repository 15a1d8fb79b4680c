"""Validation of the arguments of `bots.client.run.play`, before a connection is made."""

import inspect
import re
from typing import TypeGuard

from bots.bot import Bot, FunctionBot
from bots.client.address import Address, address
from bots.client.errors import ArenaError
from engine.clock import MICROSECONDS
from engine.games.catalogue import GAMES
from engine.games.interface import BadParameters
from engine.wire import messages as m
from engine.wire.seek_options import SeekOptions, write_options
from engine.wire.words import ANY, NAME_PATTERN, NAME_RULE, word_of

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


def where(host: object, port: object, *, tls: bool, tls_ca: str) -> Address:
    """Return the address of a server."""
    if not isinstance(host, str) or not host or not host.isprintable() or " " in host:
        raise ArenaError(f"host is the name or address of a machine, as in '127.0.0.1'; not {_shown(host)}")
    if not _is_number(port) or not 1 <= port <= MAX_PORT:
        raise ArenaError(f"port is a whole number from 1 to {MAX_PORT}, not {_shown(port)}")
    return address(host, port, tls=tls, tls_ca=tls_ca)


def login(name: object, token: object) -> m.Login:
    """Return LOGIN for a name and a token."""
    if not isinstance(token, str) or not token.isprintable() or " " in token or len(token) > MAX_TOKEN:
        raise ArenaError("token is one word of printable characters, as the organiser has given it")
    return m.Login(_name("name", name), token)


def seek(
    game: object, params: object, budget: object, increment: object, colour: object, opponent: object, name: str
) -> m.Seek:
    """Return SEEK for options, of which all but the game may be empty or None."""
    if game not in (*GAMES, ANY):
        raise ArenaError(f"unknown game {_shown(game)}; known are {', '.join(GAMES)}, and {ANY} for contests")
    if game == ANY:
        if params or colour or opponent or budget is not None or increment is not None:
            raise ArenaError(f"a contest says what is played against whom: beside {ANY} nothing can be asked for")
        return m.Seek(ANY)
    rules = GAMES[str(game)]
    options = SeekOptions()
    if params:
        if not isinstance(params, str):
            raise ArenaError(f"params is text, as in {word_of(rules.default_parameters)!r}; not {_shown(params)}")
        try:
            options = options._replace(parameters=rules.parameters(params))
        except BadParameters as error:
            raise ArenaError(f"params {_shown(params)} name no variant of {game}: {error}") from error
    options = options._replace(budget=_time("budget", budget, 1), increment=_time("increment", increment, 0))
    if colour:
        if colour not in rules.sides:
            raise ArenaError(f"colour is {' or '.join(rules.sides)} in {game}, not {_shown(colour)}")
        options = options._replace(side=rules.sides.index(str(colour)))
    if opponent:
        options = options._replace(opponent=_name("opponent", opponent))
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


def _name(argument: str, name: object) -> str:
    if not isinstance(name, str) or not re.fullmatch(NAME_PATTERN, name):
        raise ArenaError(f"{argument} is {NAME_RULE}, as in 'mybot'; not {_shown(name)}")
    return name


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    return f"{value!r:.60}"
