"""``arena-bot check``."""

import sys

from bots.client.run import to_stderr
from bots.commands.options import (
    Port,
    Words,
    check_variant,
    end_in_order_when_terminated,
    fail,
    print_line,
    warn_of_hidden_packages,
)


def check(
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
    from bots.check.run import check as run
    from bots.check.run import chosen

    if bool(command) == (listen is not None):
        fail("either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT", 2)
    if game is not None:
        check_variant(game, "", "--game")
    warn_of_hidden_packages(command)
    end_in_order_when_terminated()
    situations = chosen(only)
    right = run(command, port=listen or 0, game=game, situations=situations, write=print_line, note=to_stderr)
    sys.exit(0 if right else 1)
