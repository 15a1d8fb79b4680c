"""Boards that are new to the server are prepared beside the event loop: the tables of their rules take up to 12 ms."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from engine.games.catalogue import GAMES

KEPT = 64
"""Boards that count as prepared, the last ones; fewer than the games keep tables of."""


def prepare(game: str, parameters: str) -> None:
    """Do once what a match on a board does first: its rules make their tables then, and keep them."""
    position = GAMES[game].start(parameters)
    position.text()
    position.verdict()
    first = next(position.successors(), None)
    if first is not None:
        position.resolve(first.move)


class Prepared:
    """The boards that were prepared last."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def has(self, game: str, parameters: str) -> bool:
        """Tell whether a board is prepared."""
        return (game, parameters) in self._known

    async def add(self, game: str, parameters: str, in_thread: Callable[..., Awaitable[Any]]) -> None:
        """Prepare a board in a thread, unless that was done."""
        if not self.has(game, parameters):
            await in_thread(prepare, game, parameters)
        self._known[game, parameters] = None
        self._known.move_to_end((game, parameters))
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
