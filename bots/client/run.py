"""The client library: write a function that chooses a move, and `play` does the rest.

    from random import choice
    from bots.client import play
    from engine.games import moves

    play(lambda position, clocks: choice(moves(position)))

`play` logs in, seeks, says READY, keeps the game's history, answers every TURN, comes back after a lost connection
and plays as many matches as it is told to. A bot that wants more than one function subclasses `Bot`. To give up a
match, raise `Resigned`.

When a bot fails:

- Its exception is shown with its traceback on stderr, and the match is given up with CRASHED, the last line of the
  traceback, and the line of the bot's own code that it came from, which the opponent and the record show: a bot that
  has failed would else keep its opponent waiting until its time is over. So it is when the bot ends its process.
- A move that is not legal is never sent, since the server would count it as a loss without more words: it is a
  failure whose message names the move and says why it may not be played. So is what is no move at all.
- Then `play` leaves the server and raises `BotFailed`, with the bot's exception as its cause; or, with
  ``carry_on=True``, it goes on with the next match, as a bot should that plays unattended.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeGuard

from bots.client.errors import (
    ArenaError,
    BadChoice,
    BotFailed,
    Refused,
    ServerFault,
    Unreachable,
    explained_imports,
    show_in_one_line,
)

with explained_imports():
    from bots.bot import Bot, Choose, Clocks, FunctionBot, GameResult, Resigned
    from bots.client.connection import Address, address
    from bots.client.session import Session
    from engine.games.catalogue import GAMES, USUAL_GAME
    from engine.games.interface import BadParameters
    from engine.wire import messages as m
    from engine.wire.fields import SeekOptions, write_options
    from engine.wire.seat import said_in, variable
    from engine.wire.words import ANY, LADDER, NAME_PATTERN, NAME_RULE, parameters_of, word_of

__all__ = [
    "ArenaError",
    "BadChoice",
    "Bot",
    "BotFailed",
    "Choose",
    "Clocks",
    "GameResult",
    "Refused",
    "Resigned",
    "ServerFault",
    "Unreachable",
    "play",
]


DEFAULT_HOST = "127.0.0.1"

CHOSEN_BY = {ANY: "a contest", LADDER: "the ladder"}
"""In place of a game: who says what is played."""

MAX_PORT = 65535
MAX_TOKEN = 256
"""Longest token in characters: it has to fit into a line."""


class Loaded(BaseException):
    """Raised by `play` in place of playing, while `loading` lasts: with the bot, and the name that it plays under."""

    def __init__(self, bot: Bot, name: str) -> None:
        """Take both."""
        super().__init__(f"the bot {name} is loaded")
        self.bot = bot
        self.name = name


_loads = False


@contextmanager
def loading() -> Iterator[None]:
    """Let `play` raise `Loaded` in place of playing, for a tool that runs a program for its bot alone."""
    global _loads
    before, _loads = _loads, True
    try:
        yield
    finally:
        _loads = before


def to_stderr(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)


def play(
    bot: Bot | Choose,
    *,
    host: str | None = None,
    port: int | None = None,
    name: str | None = None,
    token: str | None = None,
    tls: bool = False,
    tls_ca: str = "",
    game: str | None = None,
    params: str | None = None,
    budget: int | None = None,
    increment: int | None = None,
    colour: str = "",
    opponent: str = "",
    games: int = 1,
    carry_on: bool = False,
    report: Callable[[str], None] = to_stderr,
) -> list[GameResult]:
    """Play matches one after the other, and return how they ended; ``games=0`` plays until it is interrupted.

    ``host``, ``port``, ``name``, ``token``, ``game`` and ``params`` that are left out are those of the variables
    ARENA_HOST and so on, which whatever starts programs sets, so that the same program plays everywhere. Without these
    it plays GIPF on the server of this machine, under the name of its file.

    What is left out of ``params``, ``budget`` and ``increment`` (milliseconds), ``colour`` (a side's name) and
    ``opponent`` may be anything. The game ``any`` is for contests, which say all of that, and
    ``ladder`` for rated games of the ladder. ``tls`` encrypts, and so does
    ``tls_ca``, a file of the certificates to trust. ``report`` is given a line for everything worth knowing. Raises
    `ArenaError`, before anything is connected where an argument or a variable is wrong; a program that it ends shows
    its sentence alone, without a traceback.
    """
    arguments = {"host": host, "port": port, "name": name, "token": token, "game": game, "params": params}
    defaults = {
        "host": DEFAULT_HOST, "port": m.PORT, "name": _own_name(), "token": "", "game": USUAL_GAME, "params": ""
    }  # fmt: skip
    try:
        player = as_bot(bot)
        told = _arguments(os.environ, arguments, defaults)
        login = _login(told["name"], told["token"])
        seek = _seek(told["game"], told["params"], budget, increment, colour, opponent, login.name)
        if _loads:
            raise Loaded(player, login.name)
        where, most = _where(told["host"], told["port"], tls=tls, tls_ca=tls_ca), _count(games)
        return Session(player, where, login, seek, carry_on=carry_on, report=report).run(most)
    except (ArenaError, KeyboardInterrupt):
        show_in_one_line()  # where nobody catches it
        raise


class _Argument(NamedTuple):
    """The value of an argument."""

    value: object
    variable: str = ""
    """The environment variable that it was read from; empty where the call has it, or it is a default."""

    def error(self, sentence: str) -> ArenaError:
        """Return an error about the value, which names the variable."""
        return ArenaError(f"{self.variable}: {sentence}" if self.variable else sentence)


def _arguments(
    environment: Mapping[str, str], arguments: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, _Argument]:
    """Return each argument as the call has it, where that is None as the environment says it, else by default."""
    said: dict[str, object] = dict(said_in(environment))
    if (port := said.get("port")) and str(port).isdecimal():
        said["port"] = int(str(port))
    if params := said.get("params"):
        said["params"] = parameters_of(str(params))
    called = {name: value for name, value in arguments.items() if value is not None}
    return {
        name: _Argument(said[name], variable(name)) if name in said and name not in called else _Argument(value)
        for name, value in {**defaults, **called}.items()
    }


def _own_name() -> str:
    """Return the name of the program that runs, as of mybot.py; empty where it has none."""
    program = Path(sys.argv[0] if sys.argv else "")
    return program.stem if program.suffix == ".py" else ""


def as_bot(bot: object) -> Bot:
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


def _where(host: _Argument, port: _Argument, *, tls: bool, tls_ca: str) -> Address:
    """Return the address of a server."""
    name, number = host.value, port.value
    if not isinstance(name, str) or not name or not name.isprintable() or " " in name:
        raise host.error(f"host is the name or address of a machine, as in '127.0.0.1'; not {_shown(name)}")
    if not _is_number(number) or not 1 <= number <= MAX_PORT:
        raise port.error(f"port is a whole number from 1 to {MAX_PORT}, not {_shown(number)}")
    return address(name, number, tls=tls, tls_ca=tls_ca)


def _login(name: _Argument, token: _Argument) -> m.Login:
    """Return LOGIN for a name and a token."""
    secret = token.value
    if not isinstance(secret, str) or not secret.isprintable() or " " in secret or len(secret) > MAX_TOKEN:
        raise token.error("token is one word of printable characters, as the organiser has given it")
    return m.Login(_name("name", name), secret)


def _seek(
    game: _Argument, params: _Argument, budget: object, increment: object, colour: object, opponent: object, name: str
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
        options = options._replace(opponent=_name("opponent", _Argument(opponent)))
        if str(opponent).lower() == name.lower():
            raise ArenaError(f"opponent is the name of another player, not the bot's own, {name!r}")
    return m.Seek(rules.name, m.Text(write_options(rules, options)))


def _count(games: object) -> int:
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
    return milliseconds * m.MICROSECONDS


def _name(argument: str, name: _Argument) -> str:
    if not isinstance(name.value, str) or not re.fullmatch(NAME_PATTERN, name.value):
        raise name.error(f"{argument} is {NAME_RULE}, as in 'mybot'; not {_shown(name.value)}")
    return name.value


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    return f"{value!r:.60}"
