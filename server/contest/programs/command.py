"""How a program of an entrant is called: what is filled into its command, and what it finds in its environment."""

import re
import shlex
import sys
from collections.abc import Sequence
from typing import NamedTuple

from server.config.builtin_bot import BuiltinBot

_PLACEHOLDER = re.compile("{(host|port|name|game|token)}")


MAX_SHOWN = 200
"""Characters of a command that stand in a sentence."""


class Seat(NamedTuple):
    """What a program is told of the game that it is started for."""

    host: str
    """Where the server listens, for a program that connects by itself."""
    port: int
    name: str
    """The name that it logs in by."""
    game: str
    token: str
    """What it logs in with."""


def builtin_bot_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a bot of the server's own, for one match; it finds its token in the environment."""
    where = ("--host", "{host}", "--port", "{port}", "--game", "{game}", "--name", "{name}", "--games", "1")
    return (sys.executable, "-P", "-m", "bots", *bot.arguments, *where)


def fill_command(command: Sequence[str], seat: Seat) -> list[str]:
    """Return a command with {host}, {port}, {name}, {game} and {token} filled in; other braces stay as they are."""
    values = seat._asdict()
    return [_PLACEHOLDER.sub(lambda found: str(values[found[1]]), word) for word in command]


def connects(command: Sequence[str]) -> bool:
    """Tell whether a program connects over TCP, having asked for host or port; else it talks on stdin and stdout."""
    return any("{host}" in word or "{port}" in word for word in command)


def quote_command(command: Sequence[str]) -> str:
    """Return a command for a sentence: as a shell takes it, in one printable line that is not too long."""
    text = shlex.join(command)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def environment_variables(seat: Seat) -> dict[str, str]:
    """Return what a program finds in its environment: ARENA_HOST and so on."""
    return {f"ARENA_{field.upper()}": str(value) for field, value in seat._asdict().items()}
