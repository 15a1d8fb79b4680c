"""Shared parts of the commands of ``arena-bot``: options, their checks, and the end of a command."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, NoReturn

from cyclopts import Parameter, validators

from bots.client import Bot, play
from bots.client.run import CHOSEN_BY, DEFAULT_HOST, usual_games
from engine.commands.program import finite, say
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import GameError
from engine.wire.messages import PORT
from engine.wire.seat import variable

PORTS = validators.Number(gte=1, lte=65535)
COUNT = validators.Number(gte=0)
ABOVE_0 = (finite, validators.Number(gt=0))
POSITIVE = validators.Number(gte=1)

Port = Annotated[int, Parameter(validator=PORTS)]
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Count = Annotated[int, Parameter(validator=COUNT)]
Words = Annotated[str, Parameter(allow_leading_hyphen=True)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Which server to connect to.

    Parameters
    ----------
    host
        Address of the server.
    port
        Port of the server.
    tls
        Encrypt the connection, and verify the server's certificate.
    tls_ca
        Encrypt, and trust the certificates in this file, in PEM.
    """

    host: Annotated[str, Parameter(env_var=variable("host"))] = DEFAULT_HOST
    port: Annotated[Port, Parameter(env_var=variable("port"))] = PORT
    tls: Flag = False
    tls_ca: str = ""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlayOptions(ServerOptions):
    """Where to play, as whom, and what.

    Parameters
    ----------
    name
        Name to log in with; by default the variable ARENA_NAME, or the name of the bot.
    token
        Token to log in with, where the server asks for one; by default the variable ARENA_TOKEN.
    game
        Game to play; with any, a contest chooses it; with ladder, the bot plays rated games of the ladder.
    params
        Variant to play, as in 4,4,15,15; any when left out.
    budget
        Milliseconds for the whole game; any when left out.
    increment
        Milliseconds that a move adds; any when left out.
    colour
        Side to play, as in white; any when left out.
    opponent
        Name of the opponent; anybody when left out.
    games
        Matches to play one after the other, 0 for no end; when left out ARENA_GAMES, or all of a contest, or 1.
    quiet
        Print nothing but errors.
    """

    name: Annotated[str | None, Parameter(env_var=variable("name"))] = None
    token: str | None = None
    game: str = USUAL_GAME
    params: str | None = None
    budget: Annotated[int | None, Parameter(validator=POSITIVE)] = None
    increment: Annotated[int | None, Parameter(validator=COUNT)] = None
    colour: str | None = None
    opponent: str | None = None
    games: Annotated[int | None, Parameter(validator=COUNT)] = None
    quiet: Flag = False


DEFAULT_SERVER, DEFAULT_PLAY = ServerOptions(), PlayOptions()


def games_of(options: PlayOptions) -> int:
    """Return how many matches are to be played; 0 for no end."""
    return usual_games(options.game) if options.games is None else options.games


def play_with(kind: str, options: PlayOptions, bot: Bot, *, carry_on: bool | None = None) -> None:
    """Play what was wished for; what a bot of ours may fail at in one match is no reason to miss the next."""
    games = games_of(options)
    play(
        bot,
        host=options.host,
        port=options.port,
        name=options.name or kind,
        token=options.token,
        tls=options.tls,
        tls_ca=options.tls_ca,
        game=options.game,
        params=options.params or "",
        budget=options.budget,
        increment=options.increment,
        colour=options.colour or "",
        opponent=options.opponent or "",
        games=games,
        carry_on=games != 1 if carry_on is None else carry_on,
        report=say_nothing if options.quiet else say,
    )


def check_options(options: PlayOptions) -> None:
    """Refuse a game or a variant that there is not; ends the command."""
    if options.game not in CHOSEN_BY:
        check_variant(options.game, options.params or "", "--params")


def check_variant(game: str, params: str, place: str) -> None:
    """Refuse what names no game or no variant of it."""
    if game not in GAMES:
        fail(unknown_game(game), 2)
    try:
        if params:
            GAMES[game].parameters(params)
    except GameError as error:
        fail(f"{place}: {error}", 2)


@contextmanager
def interruptible_at_once() -> Iterator[None]:
    """Let Ctrl-C end this process without a word, also while compiled code runs, which never looks at it."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # whoever has started this wants it otherwise
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def say_nothing(_line: str) -> None:
    """Report nothing."""


def fail(sentence: str, status: int) -> NoReturn:
    """End the command with one sentence on stderr, and this exit status: 1 a fault, 2 bad arguments."""
    print(f"arena-bot: {sentence}", file=sys.stderr)
    sys.exit(status)
