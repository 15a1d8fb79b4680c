"""Built-in bots as they are written: KIND[:LEVEL][:GAME], as in random, alphabeta:3 and alphabeta:3:arrows."""

import sys
from typing import NamedTuple

from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.levels import MAX_LEVEL, BadLevel, read_level

BUILTIN_BOTS = ("alphabeta", "random")
"""Kinds of bots that the server starts itself, by their names in ``arena-bot``."""

LEVELLED = "alphabeta"
"""The kind that plays at a level, where one is named."""

BUILTIN_NAMES = (BUILTIN_BOTS[1], *(f"{LEVELLED}-{level}" for level in range(1, MAX_LEVEL + 1)))
"""Names of bots for the usual game, each of a strength of its own, the weakest first."""


class BadBuiltinBot(ValueError):
    """A text that names no built-in bot. ``str(error)`` is a sentence for people."""


class BuiltinBot(NamedTuple):
    """A built-in bot."""

    kind: str
    """One of `BUILTIN_BOTS`."""
    level: int | None = None
    """The level that it plays at; None where none is named, which is the highest."""
    game: str = USUAL_GAME

    @property
    def name(self) -> str:
        """The name that it plays under, as in alphabeta-3-arrows."""
        return "-".join(filter(None, (self.kind, str(self.level or ""), "" if self.game == USUAL_GAME else self.game)))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments of ``arena-bot`` that choose the bot and its level."""
        return (self.kind,) if self.level is None else (self.kind, "--level", str(self.level))


def read_builtin_bot(text: str) -> BuiltinBot:
    """Read a bot as it is written; raises `BadBuiltinBot`."""
    kind, *words = text.split(":")
    if kind not in BUILTIN_BOTS:
        raise BadBuiltinBot(f"there is no bot {kind!r}; there is {', '.join(BUILTIN_BOTS)}")
    level = words.pop(0) if words and words[0][:1].isdigit() else ""
    if level and kind != LEVELLED:
        raise BadBuiltinBot(f"{text!r}: {kind} has no levels; {LEVELLED} has those from 1 to {MAX_LEVEL}")
    if len(words) > 1:
        raise BadBuiltinBot(f"{text!r} is no bot: one is written KIND:LEVEL:GAME, as in {LEVELLED}:3:{USUAL_GAME}")
    if (game := words[0] if words else USUAL_GAME) not in GAMES:
        raise BadBuiltinBot(f"{text!r}: {unknown_game(game)}")
    try:
        return BuiltinBot(kind, read_level(level) if level else None, game)
    except BadLevel as error:
        raise BadBuiltinBot(f"{text!r}: {error}") from None


def builtin_bot_named(name: str) -> BuiltinBot:
    """Return the bot that plays the usual game, or whatever it is told to, under a name; raises `BadBuiltinBot`."""
    return read_builtin_bot(name.replace("-", ":"))


WHERE = ("--host", "{host}", "--port", "{port}", "--game", "{game}", "--name", "{name}", "--games", "1")
"""Arguments of a built-in bot for one match. Its token is in its environment."""


def builtin_bot_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a built-in bot for one match, on this machine."""
    return (sys.executable, "-P", "-m", "bots", *bot.arguments, *WHERE)


def builtin_entrant_command(bot: BuiltinBot) -> tuple[str, ...]:
    """Return the command of a built-in bot as it stands in a contest file, which is the same on all machines."""
    return ("arena-bot", *bot.arguments, *WHERE)
