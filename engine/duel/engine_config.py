"""A side of a duel: limits of its search, its table, and the weights of its evaluation."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from engine.games.interface import Kernel, Position
from engine.levels import MAX_LEVEL
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH

MOST = 1_000_000_000
"""No number of a side is larger than this: nodes, milliseconds, megabytes."""

Amount = Annotated[int, Meta(ge=1, le=MOST)]


class BadEngineConfig(ValueError):
    """A text that describes no side of a duel. ``str(error)`` is a sentence for people."""


class EngineConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side of a duel. Each field is an option of the text, None or empty where it is not given."""

    nodes: Amount | None = None
    """Positions looked at for a move."""
    ms: Amount | None = None
    """Milliseconds for a move."""
    depth: Annotated[int, Meta(ge=1, le=MAX_DEPTH)] | None = None
    """Plies for a move."""
    level: Annotated[int, Meta(ge=1, le=MAX_LEVEL)] = MAX_LEVEL
    """The level of `engine.levels` to play at."""
    table: Amount | None = None
    """Megabytes of the transposition table; without it what the engine takes by itself."""
    threads: Annotated[int, Meta(ge=1, le=MAX_THREADS)] = 1
    """Threads that search at the same time."""
    exact: bool = False
    """Whether every move is searched to the full depth."""
    weights: str = ""
    """A file with other weights of the evaluation: JSON, names to whole numbers."""


def read(text: str) -> EngineConfig:
    """Read the text of a side: options separated by commas, as in ``nodes=5000,table=16``; raises `BadEngineConfig`."""
    options: dict[str, Any] = {}
    for word in text.split(","):
        name, equals, value = (part.strip() for part in word.partition("="))
        options[name] = value if equals else True
    try:
        side = msgspec.convert(options, EngineConfig, strict=False)  # noqa: TID251  # in the main thread alone
    except msgspec.ValidationError as error:
        names = ", ".join(EngineConfig.__struct_fields__)
        raise BadEngineConfig(f"{error}; the options are {names}, as in nodes=5000,table=16") from None
    if side.nodes is side.ms is side.depth is None and side.level == MAX_LEVEL:
        raise BadEngineConfig("nothing ends its thinking: give it nodes=, ms=, depth=, or a lower level=")
    return side


def weigher(start: Position, named: Mapping[str, object]) -> Callable[[Kernel], Kernel]:
    """Return a function that gives kernels of a variant other weights.

    Without names the kernels stay as they are. Raises ValueError for a game without weights, and for weights that the
    game does not accept.
    """
    if not named:
        return lambda kernel: kernel
    weights = start.game.weights
    if weights is None:
        raise ValueError(f"the evaluation of {start.game.name} has no weights to be named")
    return weights.reweigher(start.parameters, named)
