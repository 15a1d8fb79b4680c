"""The client library: `play` plays matches with a function that chooses moves, or with a `Bot`."""

from bots.bot import Bot, Choose, Clocks, GameResult, Resigned
from bots.client.errors import ArenaError, BadChoice, BotFailed, Refused, ServerFault, Unreachable
from bots.client.run import play
from engine.games.interface import Position

__all__ = [
    "ArenaError",
    "BadChoice",
    "Bot",
    "BotFailed",
    "Choose",
    "Clocks",
    "GameResult",
    "Position",
    "Refused",
    "Resigned",
    "ServerFault",
    "Unreachable",
    "play",
]
