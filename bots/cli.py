"""The command line ``arena-bot``."""

import gc
import os
import signal
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import cyclopts
from cyclopts import Parameter, validators

from bots.client.run import DEFAULT_HOST, ArenaError, Bot, play, to_stderr
from bots.client.shadowed_modules import hides_us
from bots.play.input_words import USUAL_SECONDS, BadCommand
from engine.commands.usage_errors import explain, finite
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import GameError
from engine.levels import MAX_LEVEL
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH
from engine.wire.messages import PORT
from engine.wire.words import ANY

if TYPE_CHECKING:
    from bots.bridge.bridge import ProgramBot

app = cyclopts.App(
    name="arena-bot",
    help="Programs that play on an arena server, one that watches, and one to play against.",
    version_flags=[],
    default_parameter=Parameter(validator=finite),
)

PORTS = validators.Number(gte=1, lte=65535)
COUNT = validators.Number(gte=0)
ABOVE_0 = (finite, validators.Number(gt=0))
DEPTHS = validators.Number(gte=1, lte=MAX_DEPTH)
LEVELS = validators.Number(gte=1, lte=MAX_LEVEL)
THREADS = validators.Number(gte=1, lte=MAX_THREADS)
TABLES = validators.Number(gte=1, lte=4096)
POSITIVE = validators.Number(gte=1)

Port = Annotated[int, Parameter(validator=PORTS)]
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Count = Annotated[int, Parameter(validator=COUNT)]
Words = Annotated[str, Parameter(allow_leading_hyphen=True)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Where:
    """Which server to connect to.

    Parameters
    ----------
    host
        Address of the server.
    port
        Port of the server.
    tls
        Encrypt, and make sure by its certificate that it is the server.
    tls_ca
        Encrypt, and trust the certificates in this file, in PEM.
    """

    host: str = DEFAULT_HOST
    port: Port = PORT
    tls: Flag = False
    tls_ca: str = ""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Wish(Where):
    """Where to play, as whom, and what.

    Parameters
    ----------
    name
        Name to log in with; by default that of the bot.
    token
        Token to log in with, where the server asks for one; by default the variable ARENA_TOKEN.
    game
        Game to play; any for whatever a contest wants to be played.
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
        Matches to play one after the other; 0 plays until interrupted.
    quiet
        Print nothing but errors.
    """

    name: str | None = None
    token: str | None = None
    game: str = USUAL_GAME
    params: str | None = None
    budget: Annotated[int | None, Parameter(validator=POSITIVE)] = None
    increment: Annotated[int | None, Parameter(validator=COUNT)] = None
    colour: str | None = None
    opponent: str | None = None
    games: Count = 1
    quiet: Flag = False


DEFAULT_WHERE, DEFAULT_WISH = Where(), Wish()


@app.command(name="random")
def random_(wish: Wish = DEFAULT_WISH, *, seed: int | None = None) -> None:
    """Play moves at random.

    Parameters
    ----------
    wish
        Where to play, as whom, and what.
    seed
        The same seed plays the same moves.
    """
    from bots.random_bot import RandomBot

    _check_wish(wish)
    _play("random", wish, RandomBot(seed))


@app.command
def alphabeta(
    wish: Wish = DEFAULT_WISH,
    *,
    time: Annotated[float | None, Parameter(validator=ABOVE_0)] = None,
    depth: Annotated[int | None, Parameter(validator=DEPTHS)] = None,
    nodes: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    table: Annotated[int, Parameter(validator=TABLES)] = 64,
    threads: Annotated[int, Parameter(validator=THREADS)] = 1,
    level: Annotated[int, Parameter(validator=LEVELS)] = MAX_LEVEL,
) -> None:
    """Play what alpha-beta search finds best in the time that the clock allows.

    Parameters
    ----------
    wish
        Where to play, as whom, and what.
    time
        Most milliseconds to think about a move.
    depth
        Most plies to search.
    nodes
        Most positions to look at for a move.
    table
        Megabytes of the transposition table.
    threads
        How many threads search at the same time; more than one only on a machine that the bot has for itself.
    level
        Strength, from 1, little better than random, to 10, all that the clock allows. Below 10 it does not depend on
        the machine.
    """
    from bots.alphabeta_bot import AlphaBetaBot

    _check_wish(wish)
    bot = AlphaBetaBot(max_ms=time, depth=depth, nodes=nodes, megabytes=table, threads=threads, level=level)
    if wish.game != ANY:
        bot.warm(wish.game, wish.params or "")
        _spare_collector_what_is_loaded()
    _play("alphabeta", wish, bot)


@app.command(name="bridge")
def bridge_(
    *command: Words,
    wish: Wish = DEFAULT_WISH,
    dialect: Literal["lines", "arrows"] = "lines",
) -> None:
    """Let a program play that reads standard input and writes standard output.

    Parameters
    ----------
    command
        The program and its arguments, behind --.
    wish
        Where to play, as whom, and what.
    dialect
        What the program speaks: the lines of protocol.md, or those of the arrows contest's module (docs/bots.md).
    """
    from bots.bridge.arrows import ArrowsBot
    from bots.bridge.bridge import LinesBot, bridge

    if not command:
        _fail("the program to bridge is missing: arena-bot bridge [options] -- PROGRAM [arguments]", 2)
    if dialect == "arrows" and wish.game == USUAL_GAME:
        wish = replace(wish, game="arrows")
    if dialect == "arrows" and wish.game != "arrows":
        _fail(f"--dialect arrows is for the game arrows, not for {wish.game}", 2)
    _check_wish(wish)
    _warn_of_hidden_packages(command)
    _end_in_order_when_terminated()
    report = _nothing if wish.quiet else to_stderr
    if dialect == "arrows":
        bot: ProgramBot = ArrowsBot(command)
    else:
        bot = LinesBot(command, wish.name or "bridge", wish.game, report)
    bridge(bot, lambda games: _play("bridge", replace(wish, games=games), bot, carry_on=False), wish.games, report)


@app.command(name="check")
def check_(
    *command: Words,
    listen: Port | None = None,
    game: str | None = None,
    only: str = "",
) -> None:
    """Try a bot in every situation of the protocol, and say what it does wrong.

    Parameters
    ----------
    command
        The bot and its arguments, behind --. {host}, {port}, {name} and {game} in them stand for where to connect, as
        whom, and what to seek; the bot finds the same in the variables ARENA_HOST, ARENA_PORT, ARENA_NAME, ARENA_GAME.
    listen
        Wait at this port for a bot that connects by itself, in place of starting one.
    game
        Game that the bot has to seek; any when left out.
    only
        Words of the titles of the situations to be tried; all when left out.
    """
    from bots.check.run import check, chosen

    if bool(command) == (listen is not None):
        _fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        _check(game, "", "--game")
    _warn_of_hidden_packages(command)
    _end_in_order_when_terminated()
    situations = chosen(only)
    right = check(command, port=listen or 0, game=game, situations=situations, write=_print, note=to_stderr)
    sys.exit(0 if right else 1)


@app.command
def warm(game: str, params: str = "", /) -> None:
    """Compile what the alphabeta bot needs for a variant, and keep it.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in 4,4,15,15; the usual one when left out.
    """
    from engine.commands.precompile import compile_for
    from engine.games.catalogue import start_of
    from engine.search.binding import SEARCHING

    _check(game, params, "PARAMS")
    compile_for(start_of(game, params), SEARCHING)


@app.command
def watch(
    match: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    /,
    *,
    where: Where = DEFAULT_WHERE,
    wait: Flag = False,
    follow: Flag = False,
    record: Flag = False,
) -> None:
    """Watch a match.

    Parameters
    ----------
    match
        Number of the match; the newest one that is running when left out.
    where
        Which server to connect to.
    wait
        Where no match is running, wait for one.
    follow
        Go on with the next match when one is over, until interrupted.
    record
        Print the record of the match in the end.
    """
    from bots.watch.watch import watch as run

    run(match, **asdict(where), wait=wait, follow=follow, record=record)


@app.command(name="play")
def play_(
    game: str = USUAL_GAME,
    /,
    *,
    params: str | None = None,
    load: str | None = None,
    first: str = "person",
    second: str = "bot",
    time: Annotated[float, Parameter(validator=ABOVE_0)] = USUAL_SECONDS,
) -> None:
    """Play at this screen, against a bot or somebody beside you, without a server. Type help there.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in 4,4,15,15; the usual one when left out.
    load
        File with a position or a saved game to begin with.
    first
        Who begins: person, bot, bot:SECONDS, or level:1 to level:10, a bot of that strength.
    second
        Who plays the other side.
    time
        Seconds that a bot thinks about a move, where it says nothing else.
    """
    from bots.play.terminal_game import play_in_terminal

    _check(game, params or "", "--params")
    try:
        play_in_terminal(GAMES[game], params, load, (first, second), time)
    except BadCommand as error:
        _fail(str(error), 2)


def _play(kind: str, wish: Wish, bot: Bot, *, carry_on: bool | None = None) -> None:
    """Play what was wished for; what a bot of ours may fail at in one match is no reason to miss the next."""
    play(
        bot,
        host=wish.host,
        port=wish.port,
        name=wish.name or kind,
        token=wish.token or os.environ.get("ARENA_TOKEN", ""),
        tls=wish.tls,
        tls_ca=wish.tls_ca,
        game=wish.game,
        params=wish.params or "",
        budget=wish.budget,
        increment=wish.increment,
        colour=wish.colour or "",
        opponent=wish.opponent or "",
        games=wish.games,
        carry_on=wish.games != 1 if carry_on is None else carry_on,
        report=_nothing if wish.quiet else to_stderr,
    )


def _check_wish(wish: Wish) -> None:
    if wish.game != ANY:
        _check(wish.game, wish.params or "", "--params")


def _check(game: str, params: str, place: str) -> None:
    """Refuse what names no game or no variant of it."""
    if game not in GAMES:
        _fail(unknown_game(game), 2)
    try:
        if params:
            GAMES[game].parameters(params)
    except GameError as error:
        _fail(f"{place}: {error}", 2)


def _warn_of_hidden_packages(command: tuple[str, ...]) -> None:
    """Warn about files in the folder of a Python program that shadow packages of the arena."""
    for program in map(Path, command):
        if program.suffix == ".py" and program.is_file() and (sentence := hides_us(program.parent.absolute())):
            to_stderr(f"warning: {sentence}")


def _end_in_order_when_terminated() -> None:
    """Let SIGTERM end this process as an interrupt does: what it has started is ended too."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + signal.SIGTERM))


def _spare_collector_what_is_loaded() -> None:
    """Let the garbage collector leave out what is loaded, which stays: it runs while a clock does."""
    gc.collect()
    gc.freeze()


def _print(line: str) -> None:
    print(line, flush=True)


def _nothing(_line: str) -> None:
    """Report nothing."""


def _fail(sentence: str, status: int) -> NoReturn:
    print(f"arena-bot: {sentence}", file=sys.stderr)
    sys.exit(status)


def main(arguments: list[str] | None = None) -> Any:
    """Run ``arena-bot``."""
    try:
        app(arguments, exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        _fail(explain(error), 2)
    except ArenaError as error:
        _fail(str(error), 1)
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
