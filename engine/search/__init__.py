"""Search: the best move within limits of depth, nodes and time, for the kernel of any game."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.search.searcher import best_move

__all__ = ["best_move"]


def __getattr__(name: str) -> Any:
    """Import the search at its first use: solving and the shells load this package without it."""
    if name == "best_move":
        from engine.search.searcher import best_move

        return best_move
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
