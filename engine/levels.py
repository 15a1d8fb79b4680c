"""Levels of strength: how much a weaker player may look at, and how often it plays a random move. Pure.

`engine.search.searcher` plays at a level. Nothing here depends on time or on the machine: what is random is drawn from
a seed, the position and the number of moves before it, so that the same game is played the same everywhere.

The levels are meant to be equally far apart in GIPF 4 4 15 15; ``python -m tests.bench levels`` measures how far. Twice
the nodes are worth some 200 Elo there; what is weaker than a search of a few hundred nodes moves at random at times.
"""

import hashlib
import re
from typing import NamedTuple


class BadLevel(ValueError):
    """A text that names no level. ``str(error)`` is a sentence for people."""


class Level(NamedTuple):
    """What a level below the highest one allows."""

    nodes: int
    """Positions looked at for a move, on average."""
    random_moves: float = 0.0
    """The share of moves that are random legal ones, 0 to 1."""


LEVELS = (
    Level(100, 0.51),
    Level(100, 0.22),
    Level(100, 0.03),
    Level(260),
    Level(850),
    Level(2_300),
    Level(8_000),
    Level(33_000),
    Level(130_000),
)
"""The levels from 1 on; the one after the last is `MAX_LEVEL`, which nothing but the clock bounds."""

LEVEL_NAMES = (
    "newcomer",
    "beginner",
    "learner",
    "casual player",
    "hobby player",
    "club player",
    "strong club player",
    "expert",
    "master",
    "champion",
)
"""Names of the levels for people, from level 1 to `MAX_LEVEL`."""

FIRST_OPPONENT = 2
"""Level of the bot against which a person plays first."""

MAX_LEVEL = len(LEVELS) + 1

NODES_SPREAD = 0.5
"""The nodes of a move differ from the average by up to this part of it, so that games with other seeds differ."""

WORD = 1 << 64


def draw(level: int, seed: int, key: int, plies: int) -> tuple[int, int | None]:
    """Draw how to move at a level below `MAX_LEVEL`, in a position with that key after so many moves of the game.

    Return the positions to look at, and a random number of 64 bits where the move is a random one.
    """
    allowed = LEVELS[level - 1]
    digest = hashlib.blake2b(f"{seed} {plies} {key}".encode(), digest_size=24).digest()
    chance, spread, number = (int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16))
    nodes = round(allowed.nodes * (1 + NODES_SPREAD * (2 * spread / WORD - 1)))
    return nodes, number if chance / WORD < allowed.random_moves else None


def level_title(level: int) -> str:
    """Return the name and the number of a level for people."""
    return f"{LEVEL_NAMES[level - 1]} (level {level})"


def read_level(text: str) -> int:
    """Read the number of a level, 1 to `MAX_LEVEL`; raises `BadLevel`."""
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= MAX_LEVEL:
        raise BadLevel(f"the level is {text!r}, but it has to be a whole number from 1 to {MAX_LEVEL}")
    return int(text)
