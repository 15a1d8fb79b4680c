"""The command line ``arena-server``."""

import sys
from pathlib import Path
from typing import Any

import cyclopts
from cyclopts import Parameter
from cyclopts.config import Dict

from engine.commands.program import VERSION, Rejected, duration, explain, load, no_more
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import BadParameters
from engine.match.clock import TimeControl
from engine.wire.messages import MICROSECONDS
from server.commands.options import check_system, fail, faults_explained, interrupted, place, run_async, secret
from server.config import keys, process_settings, serve_options, tokens as token_file
from server.config.builtin_bot import BadBuiltinBot, BuiltinBot, read_builtin_bot
from server.config.declared import BadTable, fields_of
from server.config.settings import (
    MAX_BUDGET,
    WEB,
    Limits,
    Settings,
)
from server.ops.logs import configure


def _from_file(called: cyclopts.App, commands: tuple[str, ...], arguments: cyclopts.ArgumentCollection) -> Any:
    """Take options that are not on the command line from the file of ``--config``."""
    for argument in arguments if commands == ("serve",) else ():
        if argument.name == "--config" and argument.tokens:
            path = Path(argument.tokens[-1].value)
            # below the command's name: a key on its own would be left out where a command has that name, as ladder does
            Dict({"serve": serve_options.read(path).options}, source=str(path))(called, commands, arguments)
            return


app = cyclopts.App(
    name="arena-server",
    default_parameter=Parameter(negative=(), validator=duration),
    help="Hosts matches between programs that play board games over TCP.",
    version=VERSION,
    config=_from_file,
)


DEFAULT_OPTIONS = serve_options.ServeOptions()


@app.command
def serve(options: serve_options.ServeOptions = DEFAULT_OPTIONS, *, config: Path | None = None) -> None:
    """Serve matches until interrupted.

    Parameters
    ----------
    options
        What to serve, and where.
    config
        File of options in TOML (docs/deploy/arena.toml); options on the command line have precedence.
    """
    check_system()
    configure(verbose=options.verbose, json=options.log_json)
    for field in fields_of(serve_options.ServeOptions):
        value = getattr(options, field.name)
        if field.rule is not None and value not in (None, "") and (fault := field.rule.fault(field.key, value)):
            fail(fault)
    from_file = serve_options.Configuration({}, Limits()) if config is None else serve_options.read(config)
    settings = Settings(
        host=options.host,
        port=options.port,
        data=options.data,
        control=TimeControl.of_milliseconds(options.budget, options.increment),
        move_limit=options.move_limit,
        builtin_bots=tuple(_builtin_bot("builtin", word) for word in filter(None, options.builtin.split(","))),
        tokens=secret("tokens", options.tokens, token_file.read),
        organiser=secret("organiser", options.organiser, token_file.read_organiser) or "",
        limits=from_file.limits,
        league=from_file.league,
        tls=_identity(options.tls_cert, options.tls_key),
        delay_moves=options.delay_moves,
        live_notes=options.live_notes,
        metrics=options.metrics,
        web=None if options.no_web else place("web", WEB if options.web is None else options.web),
        user_header=options.user_header,
        grace=options.grace,
        lag_allowance=options.lag_allowance * MICROSECONDS,
        return_seconds=options.return_time,
        sync_seconds=options.sync_interval,
    )
    run = load("server.serve", "serve")  # other commands do without the server
    from server.league.ladder.definition import read_file

    ladder = None if options.ladder is None else read_file(options.ladder)
    process_settings.prepare_server()
    run_async("cannot serve", run, settings, None, ladder)


app.command("server.commands.contest:contest", name="contest")
for _name in ("people", "ladder", "verify", "announce", "audit", "now", "annul", "dismiss", "backup", "restore"):
    app.command(f"server.commands.administration:{_name}", name=_name)


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
        One bot: random, or alphabeta, also with a level from 1 to 10, as in alphabeta:3.
    second
        The other bot.
    game
        The game.
    params
        Its variant, as in 4,4,15,15; the usual one when left out.
    budget
        Milliseconds that a side has for the whole game, at least 1000.
    """
    check_system()
    from server.commands.demo import demonstrate

    configure(quiet=True)
    if game not in GAMES:
        fail(f"--game: {unknown_game(game)}")
    bots = _builtin_bot("first", first)._replace(game=game), _builtin_bot("second", second)._replace(game=game)
    with faults_explained("--params", BadParameters, status=2):
        params = GAMES[game].parameters(GAMES[game].default_parameters if params is None else params)
    if not 1000 <= budget <= MAX_BUDGET // MICROSECONDS:
        fail(f"--budget is {budget}; the demonstration needs at least 1000")
    process_settings.prepare_server()
    sys.exit(run_async("cannot show a match", demonstrate, bots, (game, params), budget))


@app.command
def token(name: str, *, tokens: Path = Path("tokens.txt")) -> None:
    """Make a token for a player, and print it once.

    Parameters
    ----------
    name
        The player's name.
    tokens
        File to which the hash of the token is added; arena-server serve --tokens reads it.
    """
    with faults_explained("", token_file.BadTokens, status=2):
        print(token_file.add(tokens, name))


@app.command
def organiser_token(*, file: Path = Path("organiser.txt")) -> None:
    """Make the organiser's token, and print it once.

    Parameters
    ----------
    file
        New file for the hash of the token; arena-server serve --organiser reads it.
    """
    with faults_explained("", token_file.BadTokens, status=2):
        print(token_file.make_organiser(file))


@app.command
def key(*, data: Path = Path("arena-data")) -> None:
    """Print the public key by which records and exports of a data directory are signed, in base64.

    Parameters
    ----------
    data
        The data directory. A key is made where there is none.
    """
    from engine.match.signature import shown

    with faults_explained():
        print(shown(keys.public_half(data)))


@app.command
def doctor(*, config: Path | None = None, data: Path | None = None) -> None:
    """Check what a server does not check when it starts; exit status 1 if something is wrong.

    Parameters
    ----------
    config
        The file of options that the server is started with.
    data
        The data directory, if it is not in the file.
    """
    check_system()
    from server.commands.doctor import WRONG, diagnosis

    configure(quiet=True)
    wrong = False
    for finding in diagnosis(config, data):
        print(f"{finding.state:5} {finding.about}: {finding.sentence}", flush=True)
        wrong = wrong or finding.state == WRONG
    sys.exit(1 if wrong else 0)


def _builtin_bot(option: str, word: str) -> BuiltinBot:
    with faults_explained(f"--{option}", BadBuiltinBot, status=2):
        return read_builtin_bot(word)


def _identity(certificate: Path | None, key: Path | None) -> keys.CertificateFiles | None:
    """Look at the files of a certificate, and at whether they fit."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        fail("--tls-cert and --tls-key belong together: a certificate, and its key")
    identity = keys.CertificateFiles(certificate, key)
    with faults_explained("--tls-cert, --tls-key", keys.BadKey, status=2):
        keys.context(identity)
    return identity


def main() -> None:
    """Run ``arena-server``."""
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        fail(explain(error))
    except BadTable as error:
        fail(str(error))
    except Rejected as error:
        fail(str(error), error.status)
    except KeyboardInterrupt:
        interrupted()
    finally:
        no_more()
