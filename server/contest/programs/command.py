"""The command line and the environment of an entrant's program."""

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
    """What a program is told about its game."""

    host: str
    """Where the server listens, for a program that connects by itself."""
    port: int
    name: str
    """The name that it logs in by."""
    game: str
    token: str
    """What it logs in with."""


def builtin_bot_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a built-in bot for one match; it finds its token in the environment."""
    where = ("--host", "{host}", "--port", "{port}", "--game", "{game}", "--name", "{name}", "--games", "1")
    return (sys.executable, "-P", "-m", "bots", *bot.arguments, *where)


def fill_command(command: Sequence[str], seat: Seat) -> list[str]:
    """Return a command with {host}, {port}, {name}, {game} and {token} filled in; other braces stay as they are."""
    values = seat._asdict()
    return [_PLACEHOLDER.sub(lambda found: str(values[found[1]]), word) for word in command]


def connects(command: Sequence[str]) -> bool:
    """Tell whether a program connects over TCP, since its command has host or port; else it uses stdin and stdout."""
    return any("{host}" in word or "{port}" in word for word in command)


def quote_command(command: Sequence[str]) -> str:
    """Return a command quoted for a sentence, as one printable line of bounded length."""
    text = shlex.join(command)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def environment_variables(seat: Seat) -> dict[str, str]:
    """Return the environment variables for a program: ARENA_HOST and so on."""
    return {f"ARENA_{field.upper()}": str(value) for field, value in seat._asdict().items()}
