"""A side of a duel: search limits, a table, weights of the evaluation; its text; kernels with such weights."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from engine.games.interface import Kernel, Position
from engine.levels import MAX_LEVEL
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH

MOST = 1_000_000_000
"""No number of a side is larger than this: nodes, milliseconds, megabytes."""


class BadEngineConfig(ValueError):
    """A text that says nothing of a side that can be done. ``str(error)`` is a sentence for people."""


class EngineConfig(NamedTuple):
    """A side of a duel. Each field is an option of the text, None or empty where it is not given."""

    nodes: int | None = None
    """Positions looked at for a move."""
    ms: int | None = None
    """Milliseconds for a move."""
    depth: int | None = None
    """Plies for a move."""
    level: int | None = None
    """The level of `engine.levels` to play at."""
    table: int | None = None
    """Megabytes of the transposition table; without it what the engine takes by itself."""
    threads: int | None = None
    """Threads that search at the same time; without it one."""
    exact: bool = False
    """Whether every move is searched to the full depth."""
    weights: str = ""
    """A file with other weights of the evaluation: JSON, names to whole numbers."""

    def __str__(self) -> str:
        """Return the text of the side, options in their order; `read` reads it back."""
        words = []
        for name, value in self._asdict().items():
            if value is True:
                words.append(name)
            elif value:
                words.append(f"{name}={value}")
        return ",".join(words)


def read(text: str) -> EngineConfig:
    """Read the text of a side: options separated by commas, as in ``nodes=5000,table=16``; raises `BadEngineConfig`."""
    options: dict[str, Any] = {}
    for word in text.split(","):
        name, equals, value = (part.strip() for part in word.partition("="))
        if name not in OPTIONS:
            raise BadEngineConfig(
                f"{word.strip()!r} is no option; the options are {', '.join(OPTIONS)}, separated by commas"
            )
        if name in options:
            raise BadEngineConfig(f"{name} is given twice")
        if name == "exact":
            if equals:
                raise BadEngineConfig("exact takes no value")
            options[name] = True
        elif not value:
            raise BadEngineConfig(f"{name} needs a value: {name}={EXAMPLES[name]}")
        elif name == "weights":
            options[name] = value
        elif not re.fullmatch("[0-9]{1,12}", value) or not 1 <= int(value) <= LARGEST[name]:
            raise BadEngineConfig(f"{name} is {value!r}, but it has to be a whole number from 1 to {LARGEST[name]}")
        else:
            options[name] = int(value)
    side = EngineConfig(**options)
    if not (side.nodes or side.ms or side.depth) and (side.level or MAX_LEVEL) == MAX_LEVEL:
        raise BadEngineConfig("nothing ends its thinking: give it nodes=, ms=, depth=, or a lower level=")
    return side


def usual_jobs(sides: Iterable[EngineConfig], cores: int) -> int:
    """Return how many games fit on so many cores at a time. One side of a game thinks at a time, in all its threads."""
    return max(1, cores // max(side.threads or 1 for side in sides))


EXAMPLES = {
    **{"nodes": "5000", "ms": "20", "depth": "6", "level": "3", "table": "16", "threads": "2"},
    **{"weights": "tables.json"},
}


LARGEST = {"nodes": MOST, "ms": MOST, "depth": MAX_DEPTH, "level": MAX_LEVEL, "table": MOST, "threads": MAX_THREADS}
"""The largest number of each option that has one."""

OPTIONS = (*LARGEST, "exact", "weights")


class NoWeights(ValueError):
    """A game whose evaluation has no weights to be named."""


def weigher(start: Position, named: Mapping[str, object]) -> Callable[[Kernel], Kernel]:
    """Return a function that gives kernels of a variant other weights.

    Without names the kernels stay as they are. Raises `NoWeights` for a game without weights, and ValueError for
    weights that the game does not accept.
    """
    if not named:
        return lambda kernel: kernel
    weights = start.game.weights
    if weights is None:
        raise NoWeights(f"the evaluation of {start.game.name} has no weights to be named")
    return weights.reweigher(start.parameters, named)
