"""The command line of an entrant's program."""

import shlex
import sys
from collections.abc import Sequence

from server.config.builtin_bot import BuiltinBot

MAX_SHOWN = 200
"""Characters of a command that stand in a sentence."""


WHERE = ("--host", "{host}", "--port", "{port}", "--game", "{game}", "--name", "{name}", "--games", "1")
"""How a built-in bot is told of one match; it finds its token in the environment."""


def builtin_bot_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a built-in bot for one match, on this machine."""
    return (sys.executable, "-P", "-m", "bots", *bot.arguments, *WHERE)


def builtin_entrant_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a built-in bot as it stands in a contest file, which is the same on all machines."""
    return ("arena-bot", *bot.arguments, *WHERE)


def connects(command: Sequence[str]) -> bool:
    """Tell whether a program connects over TCP, since its command has host or port; else it uses stdin and stdout."""
    return any("{host}" in word or "{port}" in word for word in command)


def quote_command(command: Sequence[str]) -> str:
    """Return a command quoted for a sentence, as one printable line of bounded length."""
    text = shlex.join(command)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
