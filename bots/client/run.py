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

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bots.client.errors import ArenaError, BadChoice, BotFailed, Refused, ServerFault, Unreachable
from bots.client.failures import explained_imports, show_in_one_line

with explained_imports():
    from bots.bot import Bot, Choose, Clocks, GameResult, Resigned
    from bots.client import request
    from bots.client.request import DEFAULT_HOST, own_name, take_given
    from bots.client.session import Session
    from engine.games.catalogue import USUAL_GAME
    from engine.wire.messages import PORT

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
        "host": DEFAULT_HOST, "port": PORT, "name": own_name(), "token": "", "game": USUAL_GAME, "params": ""
    }  # fmt: skip
    try:
        player = request.player(bot)
        told = take_given(os.environ, arguments, defaults)
        login = request.login(told["name"], told["token"])
        seek = request.seek(told["game"], told["params"], budget, increment, colour, opponent, login.name)
        if _loads:
            raise Loaded(player, login.name)
        where, most = request.where(told["host"], told["port"], tls=tls, tls_ca=tls_ca), request.count(games)
        return Session(player, where, login, seek, carry_on=carry_on, report=report).run(most)
    except (ArenaError, KeyboardInterrupt):
        show_in_one_line()  # where nobody catches it
        raise
