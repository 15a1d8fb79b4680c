"""The command line ``arena-server``."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

import cyclopts
import trio

from engine.catalogue import GAMES, USUAL_GAME
from engine.clock import MICROSECONDS, TimeControl
from engine.game import BadParameters
from server import tokens as token_file
from server.logs import configure
from server.settings import LEAST_BUDGET, MOST_BUDGET, MOST_MOVES, PORT, Settings

app = cyclopts.App(
    name="arena-server",
    help="Hosts matches between programs that play board games over TCP.",
    version=lambda: version("gipf-arena"),
)


@app.command
def serve(
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    data: Path = Path("arena-data"),
    budget: int = 60_000,
    increment: int = 0,
    move_limit: int = 1000,
    house: str = "",
    tokens: Path | None = None,
    grace: float = 0.0,
    return_time: float = 30.0,
    verbose: bool = False,
) -> None:
    """Serve matches until interrupted.

    Parameters
    ----------
    host
        Address to listen on; 0.0.0.0 for every one.
    port
        Port to listen on; 0 lets the system choose one.
    data
        Directory for the records; made where it is missing.
    budget
        Milliseconds that a side has for a whole game, where the players ask for no other.
    increment
        Milliseconds that a move adds to it.
    move_limit
        Moves, both sides' counted, after which a match is a draw.
    house
        Bots to keep seated as opponents, parted by commas, as in alphabeta,random:arrows.
    tokens
        File of those who may log in, made by arena-server token. Without it everybody may.
    grace
        Seconds that running matches get to end when the server is stopped.
    return_time
        Seconds that players are waited for, with standing clocks, when the server starts again after it has died.
    verbose
        Log more.
    """
    configure(verbose=verbose)
    for name, value, least, most in (
        ("budget", budget, LEAST_BUDGET // MICROSECONDS, MOST_BUDGET // MICROSECONDS),
        ("increment", increment, 0, MOST_BUDGET // MICROSECONDS),
        ("move-limit", move_limit, 1, MOST_MOVES),
    ):
        if not least <= value <= most:
            _fail(f"--{name} is {value}; it has to lie between {least} and {most}")
    if not 0 <= port <= 65535:
        _fail(f"--port is {port}; ports are 0 to 65535")
    if not 0 <= return_time < float("inf"):
        _fail(f"--return-time is {return_time}; it has to be a number of seconds, 0 or more")
    known = None
    if tokens is not None:
        try:
            known = token_file.read(tokens)
        except (OSError, UnicodeDecodeError, token_file.BadTokens) as error:
            _fail(f"--tokens: {error}")
    settings = Settings(
        host=host,
        port=port,
        data=data,
        control=TimeControl.of_milliseconds(budget, increment),
        move_limit=move_limit,
        house=_house(house),
        tokens=known,
        grace=grace,
        return_seconds=return_time,
    )
    from server.serve import serve as run

    try:
        trio.run(run, settings)
    except* OSError as group:
        _fail(f"cannot serve: {_first(group)}", status=1)


@app.command
def demo(
    *,
    first: str = "alphabeta",
    second: str = "alphabeta",
    game: str = USUAL_GAME,
    params: str | None = None,
    budget: int = 15_000,
) -> None:
    """Play a timed match between two bots over TCP on this machine, and watch it.

    Parameters
    ----------
    first
        One bot: alphabeta or random.
    second
        The other bot.
    game
        The game.
    params
        Its variant, as in 4,4,15,15; the usual one when left out.
    budget
        Milliseconds that a side has for the whole game, at least 1000.
    """
    from server.demo import demonstrate

    configure(quiet=True)
    if game not in GAMES:
        _fail(f"--game: there is no game {game!r}; there is {', '.join(GAMES)}")
    try:
        params = GAMES[game].parameters(GAMES[game].default_parameters if params is None else params)
    except BadParameters as error:
        _fail(f"--params: {error}")
    if not 1000 <= budget <= MOST_BUDGET // MICROSECONDS:
        _fail(f"--budget is {budget}; the demonstration needs at least 1000")
    try:
        sys.exit(trio.run(demonstrate, (first, second), (game, params), budget))
    except* KeyboardInterrupt:
        sys.exit(130)


@app.command
def token(name: str, *, tokens: Path = Path("tokens.txt")) -> None:
    """Make a token for a player, and print it once.

    Parameters
    ----------
    name
        The player's name.
    tokens
        The file that the hash of the token is put into; arena-server serve --tokens reads it.
    """
    try:
        print(token_file.add(tokens, name))
    except (OSError, UnicodeDecodeError, token_file.BadTokens) as error:
        _fail(str(error))


def _house(text: str) -> tuple[tuple[str, str], ...]:
    """Read the bots to keep seated: kinds, each with a game behind a colon where it is not the usual one."""
    bots = []
    for word in filter(None, text.split(",")):
        kind, _, game = word.partition(":")
        game = game or USUAL_GAME
        if not kind or game not in GAMES:
            _fail(f"--house: {word!r} is no bot; write alphabeta or random, and :GAME behind it, of {', '.join(GAMES)}")
        bots.append((kind, game))
    return tuple(bots)


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group


def _fail(sentence: str, status: int = 2) -> NoReturn:
    print(f"arena-server: {sentence}", file=sys.stderr)
    sys.exit(status)


def main() -> None:
    """Run ``arena-server``."""
    try:
        app(exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        _fail(" ".join(str(error).split()))
