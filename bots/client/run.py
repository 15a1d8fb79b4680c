"""The client library: write a function that chooses a move, and `play` does the rest.

    from random import choice
    from bots.client import play

    play(lambda position, clocks: choice(position.legal_moves))

`play` logs in, seeks, says READY, keeps the game's history, answers every TURN, comes back after a lost connection
and plays as many matches as it is told to. A bot that wants more than one function subclasses `Bot`. To give up a
match, raise `Resigned`.

When a bot fails:

- An exception is shown with its traceback on stderr. The match is given up with CRASHED: the last line of the
  traceback, and the line of the bot's own code that it came from. The same happens when the bot ends its process.
- An illegal move is sent as it is, and loses by ``bad_move``. A value that is no move gives up with CRASHED. Both are
  failures, whose sentence names the choice and the reason.
- After a failure `play` leaves the server and raises `BotFailed`, with the bot's exception as its cause. With
  ``carry_on=True`` it continues with the next match.
- A method that has used up the clock is shown on stderr and in the log of the match, with the line in which it stands.
  It is interrupted at the end of the match. A process that cannot be interrupted ends.
- Ctrl-C and SIGTERM resign the match.
"""

import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from os import environ
from pathlib import Path
from typing import Any, NamedTuple

from bots.bot import Bot, Choose, FunctionBot, GameResult
from bots.client.connection import address
from bots.client.errors import ArenaError, show_in_one_line
from bots.client.session import Session
from engine.commands.program import say
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.wire import messages as m
from engine.wire.fields import read_options
from engine.wire.seat import seat_fields, variable
from engine.wire.words import ANY, LADDER, NAME_PATTERN, NAME_RULE, parameters_of, word_of

DEFAULT_HOST = "127.0.0.1"

CHOSEN_BY = {ANY: "a contest", LADDER: "the ladder"}
"""In place of a game: who says what is played."""

FREE_MATCH = ("params", "budget", "increment", "colour", "opponent")
"""Arguments of `play` that stand behind SEEK, for a game that neither a contest nor the ladder chooses."""

MAX_PORT = 65535


class ArgumentRule(NamedTuple):
    """The rule for an argument of `play`."""

    fits: Callable[[object], object]
    sentence: str


def _text(pattern: str) -> Callable[[object], object]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value)


def _number(least: int, most: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and least <= value <= most


RULES = {
    "host": ArgumentRule(_text(r"\S+"), "the name or address of a machine, as in '127.0.0.1'"),
    "port": ArgumentRule(_number(1, MAX_PORT), f"a whole number from 1 to {MAX_PORT}"),
    "name": ArgumentRule(_text(NAME_PATTERN), f"{NAME_RULE}, as in 'mybot'"),
    "token": ArgumentRule(_text(r"\S{0,256}"), "one word of printable characters, as the organiser has given it"),
    "game": ArgumentRule(
        lambda game: game in (*GAMES, *CHOSEN_BY),
        f"one of {', '.join(GAMES)}, or {ANY} for contests, or {LADDER} for the ladder",
    ),
    "params": ArgumentRule(_text(r"[\w., -]*"), "text, as in '4,4,15,15'"),
    "budget": ArgumentRule(_number(1, sys.maxsize), "a whole number of milliseconds, 1 or more"),
    "increment": ArgumentRule(_number(0, sys.maxsize), "a whole number of milliseconds, 0 or more"),
    "colour": ArgumentRule(_text(r"\w*"), "the name of a side"),
    "opponent": ArgumentRule(_text(f"({NAME_PATTERN})?"), f"{NAME_RULE}, as in 'mybot'"),
    "games": ArgumentRule(_number(0, sys.maxsize), "how many matches to play, 0 for no end"),
}
"""The arguments of `play` in the order in which they are checked."""


class LoadedBot(BaseException):
    """Raised by `play` in place of playing, while `loading` lasts: with the bot, and the name that it plays under."""

    def __init__(self, bot: Bot, name: str) -> None:
        """Take both."""
        super().__init__(f"the bot {name} is loaded")
        self.bot = bot
        self.name = name


_loads = False


@contextmanager
def loading() -> Iterator[None]:
    """Let `play` raise `LoadedBot` in place of playing, for a tool that runs a program for its bot alone."""
    global _loads
    before, _loads = _loads, True
    try:
        yield
    finally:
        _loads = before


@contextmanager
def end_in_order_when_terminated() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end this process as an interrupt does, with the programs that it has started.

    Ignored signals, as SIGHUP under nohup, stay ignored, and other handlers stay. Windows has no SIGHUP.
    """
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in numbers if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


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
    games: int | None = None,
    carry_on: bool = False,
    report: Callable[[str], None] = say,
) -> list[GameResult]:
    """Play matches one after the other, and return how they ended.

    ``games=0`` plays until the contest of the bot is over, or until it is interrupted; it returns to a server that is
    started again.

    ``host``, ``port``, ``name``, ``token``, ``game``, ``params`` and ``games`` have their defaults in the variables
    ARENA_HOST and so on. Servers and tools set these for programs that they start. So one program plays everywhere.
    Without these it plays one match of GIPF on the server of this machine, under the name of its file. A bot that seeks
    ``any`` plays until its contest is over. Where ARENA_GAME is ``any`` or ``ladder``, the options of the call that
    choose a free match are left out.

    Without ``params``, ``budget``, ``increment`` (milliseconds), ``colour`` (a side's name) or ``opponent`` any value
    will do. The game ``any`` is for contests, which say all of that, and
    ``ladder`` for rated games of the ladder. ``tls`` encrypts, and so does
    ``tls_ca``, a file of the certificates to trust. ``report`` is given a line for everything worth knowing. Raises
    `ArenaError`, before anything is connected where an argument or a variable is wrong; a program that it ends shows
    its sentence alone, without a traceback.
    """
    try:
        player = as_bot(bot)
        variables = _variables()
        defaults = {"host": DEFAULT_HOST, "port": m.PORT, "name": _own_name(), "token": "", "game": USUAL_GAME}
        called = {"host": host, "port": port, "name": name, "token": token, "game": game, "params": params}
        called |= {"budget": budget, "increment": increment, "colour": colour, "opponent": opponent, "games": games}
        called = {argument: value for argument, value in called.items() if value is not None}
        _leave_out_free_match(called, variables.get("game", ""), report)
        values = {**defaults, **variables, **called}
        values["games"] = usual_games(values["game"]) if games is None else games
        for argument, rule in RULES.items():
            if argument in values and not rule.fits(values[argument]):
                place = f"{variable(argument)}: " if argument in variables and argument not in called else ""
                raise ArenaError(f"{place}{argument} is {rule.sentence}; not {values[argument]!r:.60}")
        if values["game"] in CHOSEN_BY and "params" not in called:
            values["params"] = ""  # the variant of the one game that a program was started for
        if _loads:
            raise LoadedBot(player, values["name"])
        login, seek = m.Login(values["name"], values["token"]), _seek(values)
        where = address(values["host"], values["port"], tls=tls, tls_ca=tls_ca)
        with end_in_order_when_terminated():
            return Session(player, where, login, seek, carry_on=carry_on, report=report).run(values["games"])
    except (ArenaError, KeyboardInterrupt):
        show_in_one_line()  # where nobody catches it
        raise


def usual_games(game: str) -> int:
    """Return the default number of matches: ARENA_GAMES, else all matches of a contest, else one."""
    said = seat_fields(environ).get("games", "")
    if said and not said.isdecimal():
        raise ArenaError(f"{variable('games')}: games is {RULES['games'].sentence}; not {said!r:.60}")
    return int(said) if said else int(game != ANY)


def _leave_out_free_match(called: dict[str, Any], game: str, report: Callable[[str], None]) -> None:
    """Remove the options of a free match from a call if the environment names a contest or the ladder."""
    if game not in CHOSEN_BY or called.get("game") == game:
        return
    left_out = {argument: called.pop(argument) for argument in ("game", *FREE_MATCH) if argument in called}
    shown = ", ".join(f"{argument}={value!r:.60}" for argument, value in left_out.items() if value != "")
    if shown:
        report(f"{variable('game')}={game}: {CHOSEN_BY[game]} chooses game and opponent; left out: {shown}")


def _variables() -> dict[str, Any]:
    """Return the arguments that the environment has."""
    said: dict[str, Any] = dict(seat_fields(environ))
    if said.get("port", "").isdecimal():
        said["port"] = int(said["port"])
    if "params" in said:
        said["params"] = parameters_of(said["params"])
    return said


def _own_name() -> str:
    """Return the name of the program that runs, as of mybot.py; empty where it has none."""
    program = Path(sys.argv[0] if sys.argv else "")
    return program.stem if program.suffix == ".py" else ""


def as_bot(bot: object) -> Bot:
    """Return a bot, wrapping a function."""
    if isinstance(bot, Bot):
        return bot
    if not callable(bot) or isinstance(bot, type):
        raise ArenaError(f"play needs a Bot, or a function that takes position and clocks; not {bot!r:.60}")
    try:
        signature(bot).bind(None, None)
    except TypeError as error:
        raise ArenaError(f"{getattr(bot, '__name__', bot)} is called with position and clocks: {error}") from None
    except ValueError:  # a function in C may have no signature
        pass
    return FunctionBot(bot)


def _seek(values: Mapping[str, Any]) -> m.Seek:
    """Return SEEK; raises `ArenaError` where the options do not suit the game."""
    options = {name: values.get(name) for name in FREE_MATCH}
    options["params"] = word_of(values["params"]) if values.get("params") else ""
    text = " ".join(f"{name}={value}" for name, value in options.items() if value not in (None, ""))
    game = values["game"]
    if game in CHOSEN_BY:
        if text:
            raise ArenaError(f"{CHOSEN_BY[game]} chooses game and opponent: leave out all options of the match")
    else:
        try:
            most = 10**12 * m.MICROSECONDS  # as many digits as a line can hold
            read_options(GAMES[game], text, name=values["name"], least_budget=m.MICROSECONDS, most_budget=most)
        except m.ProtocolError as error:
            raise ArenaError(str(error)) from error
    return m.Seek(game, m.Text(text))
