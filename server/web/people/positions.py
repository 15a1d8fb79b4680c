"""Positions of the first moves of games, by a key that is the same in every process."""

from hashlib import sha256

from engine.games.history import History
from engine.games.interface import Position, play

EXPLORED = 24
"""So many moves of each game are kept, both sides' counted."""


def position_key(position: Position) -> int:
    """Return a number of 64 bits that tells a position, with its variant, from practically all others."""
    whole = f"{position.game.name}\n{position.parameters}\n{position.text()}"
    return int.from_bytes(sha256(whole.encode()).digest()[:8], "big", signed=True)


def first_moves(history: History) -> dict[tuple[int, str], int]:
    """Return the first moves of a game, each with the key of its position, and the side that made it."""
    found: dict[tuple[int, str], int] = {}
    position = history.start
    for move in history.moves[:EXPLORED]:
        found[position_key(position), move] = position.turn
        position = play(position, move)
    return found
