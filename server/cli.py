"""The command line ``arena-server``."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import cyclopts
from cyclopts import Parameter
from cyclopts.config import Dict

from engine.clock import MICROSECONDS, TimeControl
from engine.commands import interrupt
from engine.commands.usage_errors import duration, explain, explain_fault, nearest
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.games.interface import BadParameters
from server.commands import exits
from server.commands.contest import contest
from server.commands.options import check_port, fail, place, secret
from server.config import config_file, process_settings, tls
from server.config import tokens as token_file
from server.config.limits import MAX_ALLOWANCE, Limits
from server.config.settings import (
    BUILTIN_BOTS,
    MAX_BUDGET,
    MAX_MOVES,
    MAX_SYNC_SECONDS,
    MIN_BUDGET,
    PORT,
    SYNC_SECONDS,
    WEB,
    Settings,
)
from server.config.toml_table import BadTable
from server.ops.logs import configure


def _from_file(called: cyclopts.App, commands: tuple[str, ...], arguments: cyclopts.ArgumentCollection) -> Any:
    """Take options that are not on the command line from the file of ``--config``."""
    for argument in arguments if commands == ("serve",) else ():
        if argument.name == "--config" and argument.tokens:
            path = Path(argument.tokens[-1].value)
            Dict(config_file.read(path).options, source=str(path), use_commands_as_keys=False)(
                called, commands, arguments
            )
            return


app = cyclopts.App(
    name="arena-server",
    default_parameter=Parameter(negative=(), validator=duration),
    help="Hosts matches between programs that play board games over TCP.",
    version=lambda: version("gipf-arena"),
    config=_from_file,
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
    builtin: Annotated[str, Parameter(name=("--builtin", "--house"))] = "",
    tokens: Path | None = None,
    organiser: Path | None = None,
    grace: float = 0.0,
    lag_allowance: int = 0,
    return_time: float = 30.0,
    sync_interval: float = SYNC_SECONDS,
    delay_moves: int = 0,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    metrics: int | None = None,
    web: str | None = None,
    no_web: bool = False,
    verbose: bool = False,
    log_json: bool = False,
    config: Path | None = None,
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
    builtin
        Built-in bots that wait for opponents, separated by commas, as in alphabeta,random:arrows.
    tokens
        File of those who may log in, made by arena-server token. Without it everybody may.
    organiser
        File of the organiser's token, made by arena-server organiser-token. Without it nobody can organise.
    grace
        Seconds that running matches get to end when the server is stopped.
    lag_allowance
        Most milliseconds of each turn that players are not charged for the way through the network, as measured.
    return_time
        Seconds that players are waited for, with standing clocks, when the server starts again after it has died.
    sync_interval
        Seconds after which records and the database are synced again: what a power cut may cost. 0: never.
    delay_moves
        Moves that spectators see later than the players, so that they cannot help.
    tls_cert
        Certificate to encrypt all connections with, in PEM, the chain behind it.
    tls_key
        The key of that certificate, in PEM, without a password.
    metrics
        Port on this machine for figures in the format of Prometheus, and /health.
    web
        Address and port of the pages for browsers, 127.0.0.1:8080 when left out; port 0 lets the system choose one.
    no_web
        Serve no pages.
    verbose
        Log more.
    log_json
        Log objects of JSON, one a line.
    config
        File of options in TOML (docs/reliability.md); what stands on the command line goes before it.
    """
    configure(verbose=verbose, json=log_json)
    for name, value, least, most in (
        ("budget", budget, MIN_BUDGET // MICROSECONDS, MAX_BUDGET // MICROSECONDS),
        ("increment", increment, 0, MAX_BUDGET // MICROSECONDS),
        ("move-limit", move_limit, 1, MAX_MOVES),
        ("lag-allowance", lag_allowance, 0, MAX_ALLOWANCE // MICROSECONDS),
        ("delay-moves", delay_moves, 0, MAX_MOVES),
    ):
        if not least <= value <= most:
            fail(f"--{name} is {value}; it has to lie between {least} and {most}")
    check_port("port", port)
    check_port("metrics", metrics)
    if not 0 <= return_time < float("inf"):
        fail(f"--return-time is {return_time}; it has to be a number of seconds, 0 or more")
    _check_sync(sync_interval)
    settings = Settings(
        host=host,
        port=port,
        data=data,
        control=TimeControl.of_milliseconds(budget, increment),
        move_limit=move_limit,
        builtin_bots=_builtin_bots(builtin),
        tokens=secret("tokens", tokens, token_file.read),
        organiser=secret("organiser", organiser, token_file.read_organiser) or "",
        limits=Limits() if config is None else config_file.read(config).limits,
        tls=_identity(tls_cert, tls_key),
        delay_moves=delay_moves,
        metrics=metrics,
        web=None if no_web else place("web", WEB if web is None else web),
        grace=grace,
        lag_allowance=lag_allowance * MICROSECONDS,
        return_seconds=return_time,
        sync_seconds=sync_interval,
    )
    from server.serve import serve as run

    process_settings.prepare_server()
    exits.run("cannot serve", run, settings)


app.command(contest)


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
    from server.commands.demo import demonstrate

    configure(quiet=True)
    if game not in GAMES:
        fail(f"--game: there is no game {game!r}; there is {', '.join(GAMES)}{nearest(game, [*GAMES])}")
    for option, kind in (("first", first), ("second", second)):
        if kind not in BUILTIN_BOTS:
            known = f"there is {', '.join(BUILTIN_BOTS)}{nearest(kind, [*BUILTIN_BOTS])}"
            fail(f"--{option}: there is no bot {kind!r}; {known}")
    try:
        params = GAMES[game].parameters(GAMES[game].default_parameters if params is None else params)
    except BadParameters as error:
        fail(f"--params: {error}")
    if not 1000 <= budget <= MAX_BUDGET // MICROSECONDS:
        fail(f"--budget is {budget}; the demonstration needs at least 1000")
    process_settings.prepare_server()
    sys.exit(exits.run("cannot show a match", demonstrate, (first, second), (game, params), budget))


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
        fail(explain_fault(error))


@app.command
def organiser_token(*, file: Path = Path("organiser.txt")) -> None:
    """Make the organiser's token, and print it once.

    Parameters
    ----------
    file
        The file, not there yet, that the hash of the token is put into; arena-server serve --organiser reads it.
    """
    try:
        print(token_file.make_organiser(file))
    except (OSError, token_file.BadTokens) as error:
        fail(str(error))


@app.command
def doctor(
    *,
    config: Path | None = None,
    data: Path | None = None,
    all_: Annotated[bool, Parameter("--all", negative=())] = False,
) -> None:
    """Check what a server needs before it is started, and say what is wrong; the exit status is 1 then.

    Parameters
    ----------
    config
        The file of options that the server is started with.
    data
        Its directory for the records, where that is not in the file.
    all_
        Verify every record, not only a sample.
    """
    from server.commands.doctor import WRONG, diagnosis

    configure(quiet=True)
    wrong = False
    for finding in diagnosis(config, data, every_record=all_):
        print(finding.line(), flush=True)
        wrong = wrong or finding.state == WRONG
    sys.exit(1 if wrong else 0)


def _builtin_bots(text: str) -> tuple[tuple[str, str], ...]:
    """Parse the built-in bots to start: kinds, each followed by a colon and a game unless it is the usual one."""
    bots = []
    for word in filter(None, text.split(",")):
        kind, _, game = word.partition(":")
        game = game or USUAL_GAME
        if kind not in BUILTIN_BOTS:
            fail(
                f"--builtin: there is no bot {kind!r}; "
                f"there is {', '.join(BUILTIN_BOTS)}{nearest(kind, [*BUILTIN_BOTS])}"
            )
        if game not in GAMES:
            fail(
                f"--builtin: {word!r}: there is no game {game!r}; there is {', '.join(GAMES)}{nearest(game, [*GAMES])}"
            )
        bots.append((kind, game))
    return tuple(bots)


def _identity(certificate: Path | None, key: Path | None) -> tls.Identity | None:
    """Look at the files of a certificate, and at whether they fit."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        fail("--tls-cert and --tls-key belong together: a certificate, and its key")
    try:
        tls.context(tls.Identity(certificate, key))
    except tls.BadCertificate as error:
        fail(f"--tls-cert, --tls-key: {error}")
    return tls.Identity(certificate, key)


def _check_sync(seconds: float) -> None:
    if seconds and not 0.1 <= seconds <= MAX_SYNC_SECONDS:
        fail(f"--sync-interval is {seconds}; it lies between 0.1 and {MAX_SYNC_SECONDS:g} seconds, or is 0 for never")


def main() -> None:
    """Run ``arena-server``."""
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        fail(explain(error))
    except BadTable as error:
        fail(str(error))
    except KeyboardInterrupt:
        exits.interrupted()
    finally:
        interrupt.no_more()
