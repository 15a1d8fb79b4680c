"""Commands that connect to a server: ``arena-bot random``, ``alphabeta``, ``bridge`` and ``watch``."""

import gc
import os
from contextlib import closing
from dataclasses import asdict, replace
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from bots.client.errors import Refused
from bots.client.run import CHOSEN_BY, end_in_order_when_terminated
from bots.commands.options import (
    DEFAULT_PLAY,
    DEFAULT_SERVER,
    POSITIVE,
    Flag,
    PlayOptions,
    ServerOptions,
    Words,
    check_options,
    check_variant,
    fail,
    games_of,
    play_with,
    say_nothing,
)
from engine.commands.inputs import say_interpreted
from engine.commands.program import answer, say, whole_command
from engine.compiling.binding import is_installed
from engine.games.catalogue import USUAL_GAME
from engine.levels import MAX_LEVEL
from engine.search.iterative_deepening import MAX_THREADS
from engine.wire.seat import PIPES, Seat, seat_fields, variable
from engine.wire.words import parameters_of, word_of


def random(options: PlayOptions = DEFAULT_PLAY, *, seed: int | None = None) -> None:
    """Play moves at random.

    Parameters
    ----------
    options
        Where to play, as whom, and what.
    seed
        The same seed plays the same moves.
    """
    from bots.random_bot import RandomBot

    check_options(options)
    play_with("random", options, RandomBot(seed))


def alphabeta(
    options: PlayOptions = DEFAULT_PLAY,
    *,
    nodes: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    threads: Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_THREADS))] = 1,
    level: Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_LEVEL))] = MAX_LEVEL,
    no_tablebase: Flag = False,
) -> None:
    """Play the best moves of alpha-beta search, within the time of the clock.

    Parameters
    ----------
    options
        Where to play, as whom, and what.
    nodes
        Most positions to look at for a move.
    threads
        How many threads search at the same time; more than one only on a machine that the bot has for itself.
    level
        Strength, 1 to 10. Level 1 wins more than nine of ten games against random moves, level 10 uses all the
        time of its clock. The strength of levels below 10 does not depend on the machine.
    no_tablebase
        Do not use the tablebases of small solved variants. Only level 10 uses them.
    """
    from bots.alphabeta_bot import AlphaBetaBot

    check_options(options)
    if not options.quiet:
        say_interpreted()
    bot = AlphaBetaBot(nodes=nodes, threads=threads, level=level, tablebase=not no_tablebase)
    if options.game not in CHOSEN_BY:
        bot.warm(options.game, _variant(options))
    elif is_installed("numba"):
        import numba  # noqa: F401  # takes a second, which the clock of the first match would pay

    gc.collect()
    gc.freeze()  # the garbage collector, which runs while a clock does, leaves out what is loaded
    play_with("alphabeta", options, bot)


@end_in_order_when_terminated()
def bridge(
    *command: Words,
    options: PlayOptions = DEFAULT_PLAY,
    dialect: Literal["lines", "arrows"] = "lines",
) -> None:
    """Connect a program that plays on standard input and output to a server.

    Parameters
    ----------
    command
        The program and its arguments, behind --.
    options
        Where to play, as whom, and what.
    dialect
        What the program speaks: the lines of protocol.md, or those of the arrows contest's module (docs/bots.md).
    """
    from bots.bridge import bridge as bridges

    if not command:
        fail("the program to bridge is missing: arena-bot bridge [options] -- PROGRAM [arguments]", 2)
    command = whole_command(command)
    if dialect == "arrows" and options.game == USUAL_GAME:
        options = replace(options, game="arrows")
    if dialect == "arrows" and options.game != "arrows":
        fail(f"--dialect arrows is for the game arrows, not for {options.game}", 2)
    check_options(options)
    report = say_nothing if options.quiet else say
    token = options.token or seat_fields(os.environ).get("token", "")
    params = "" if options.params is None else word_of(options.params.replace(",", " "))
    seat = Seat(PIPES, options.port, options.name or "bridge", options.game, token, params)
    if dialect == "arrows":
        bot: bridges.ProgramBot = bridges.ArrowsBot(command, seat)
    else:
        bot = bridges.LinesBot(command, seat, report)
    bridges.bridge(
        bot,
        lambda games: play_with("bridge", replace(options, games=games), bot, carry_on=False),
        games_of(options),
        report,
    )


def watch(
    match: Annotated[int | None, Parameter(validator=POSITIVE)] = None,
    /,
    *,
    server: ServerOptions = DEFAULT_SERVER,
    follow: Flag = False,
    record: Flag = False,
) -> None:
    """Watch a match.

    Parameters
    ----------
    match
        Number of the match; without it, the newest one that is running, or the next one that begins.
    server
        Which server to connect to.
    follow
        Go on with the next match when it is over, until interrupted.
    record
        Print the record of the match in the end.
    """
    from bots.terminal.watch import watch as run

    run(match, **asdict(server), follow=follow, record=record)


def log(
    match: Annotated[int, Parameter(validator=POSITIVE)],
    /,
    *,
    server: ServerOptions = DEFAULT_SERVER,
    name: str = "",
    token: str | None = None,
) -> None:
    """Show the stderr output of your program in a finished match: a line each, with side and move.

    Parameters
    ----------
    match
        Number of the match.
    server
        Which server to connect to.
    name
        Name under which the match was played, on a server without tokens.
    token
        Token of the player, of the match, or of the organiser, who sees both sides; by default the variable
        ARENA_TOKEN.
    """
    from bots.client.connection import Connection, address
    from engine.wire import messages as m

    token = seat_fields(os.environ).get("token", "") if token is None else token
    if not name and not token:
        fail("whose log? --token TOKEN, or, on a server without tokens, --name NAME is needed", 2)
    with closing(Connection(*address(server.host, server.port, tls=server.tls, tls_ca=server.tls_ca))) as connection:
        if name and not token:
            connection.send(m.Login(name))
            try:
                welcome = connection.answer(m.Welcome)
            except Refused as refused:  # behind the reason, the server names another name for a bot
                fail(f"the log of {name} cannot be shown by --name: {refused.sentence.partition(';')[0]}", 1)
            if isinstance(welcome, m.Welcome) and welcome.name.lower() != name.lower():
                fail(f"{name} is logged in: end that bot first, or show its log with --token", 1)
        connection.send(m.AskLog(match, token))
        found = connection.answer(m.Log)
    assert isinstance(found, m.Log)
    for line in found.lines:
        answer(line)
    if not found.lines:
        say(f"nothing was written in match {match}")


def _variant(options: PlayOptions) -> str:
    """Return the variant that is played: the environment names it to a program that a contest has started."""
    said = seat_fields(os.environ)
    if options.params is None and said.get("game") == options.game:
        params = parameters_of(said.get("params", ""))
        check_variant(options.game, params, variable("params"))
        return params
    return options.params or ""
