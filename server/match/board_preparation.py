"""Preparation of new boards in a thread: the tables of their rules take up to 12 ms."""

from collections.abc import Awaitable, Callable
from typing import Any

from engine.games.catalogue import GAMES
from server.ops.lru_cache import LruCache

MAX_BOARDS = 64
"""Boards that count as prepared: the latest, and fewer than the games keep tables of."""


def prepare(game: str, parameters: str) -> None:
    """Make the tables of the rules of a board, by doing what a match on it does first."""
    position = GAMES[game].start(parameters)
    position.text()
    position.verdict()
    first = next(position.successors(), None)
    if first is not None:
        position.resolve(first.move)


class PreparedBoards:
    """The boards that were prepared most recently."""

    def __init__(self) -> None:
        """Start empty."""
        self._known: LruCache[tuple[str, str], None] = LruCache(MAX_BOARDS)

    def has(self, game: str, parameters: str) -> bool:
        """Tell whether a board is prepared."""
        return (game, parameters) in self._known

    async def add(self, game: str, parameters: str, run_in_thread: Callable[..., Awaitable[Any]]) -> None:
        """Prepare a board in a thread, unless it is prepared."""
        if not self.has(game, parameters):
            await run_in_thread(prepare, game, parameters)
        self._known.put((game, parameters), None)
