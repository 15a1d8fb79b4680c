"""Levels of strength: the nodes of each level, and its share of random moves. Pure.

`engine.search.searcher` plays at a level. Nothing here depends on time or on the machine. Random choices follow from a
seed, the position and the number of moves before it, so a game is the same everywhere.

The levels are equally far apart in GIPF 4 4 15 15, where twice the nodes are worth some 200 Elo. A level that is weaker
than a search of a few hundred nodes also plays random moves. ``python -m tests.bench levels`` measures the distances.
"""

import hashlib
import re
from typing import NamedTuple


class BadLevel(ValueError):
    """A text that is no level. ``str(error)`` is a sentence for people."""


class Level(NamedTuple):
    """The limits of a level below the highest one."""

    nodes: int
    """Nodes for a move, on average."""
    random_moves: float = 0.0
    """Share of random legal moves, 0 to 1."""


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
"""The levels from 1 on. The next one is `MAX_LEVEL`, which only the clock limits."""

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
"""Largest deviation of a move's nodes from the average, as a part of it: games with other seeds differ."""

WORD = 1 << 64


def level_limits(level: int, seed: int, key: int, plies: int) -> tuple[int, int | None]:
    """Return the nodes for a move at a level below `MAX_LEVEL`, and a random number of 64 bits if the move is random.

    ``key`` is the hash of the position, and ``plies`` the number of moves before it.
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
    """Read a level, 1 to `MAX_LEVEL`; raises `BadLevel`."""
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= MAX_LEVEL:
        raise BadLevel(f"the level is {text!r}, but it has to be a whole number from 1 to {MAX_LEVEL}")
    return int(text)
