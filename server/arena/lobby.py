"""Players in the lobby: notices about the opponents that they seek, and preparation of the boards that they ask for."""

from collections.abc import Callable

import trio

from engine.games.catalogue import GAMES
from engine.wire import messages as m
from server.arena.roles import Player

CHECK_SECONDS = 1.0
"""Time between two checks for changes."""


MAX_BOARDS = 64
"""Boards that count as prepared: the latest, and fewer than the games keep tables of."""


class OpponentNotices:
    """Players who seek a named opponent, and the last notice that each was sent."""

    def __init__(self, presence: Callable[[str], tuple[str, int]]) -> None:
        """Start empty.

        ``presence`` returns the presence of a player by name in lower case, and the number of its match, or 0.
        """
        self._presence = presence
        self._last_notices: dict[Player, tuple[str, tuple[str, int]]] = {}
        self._added = trio.Event()

    def add(self, player: Player, opponent: str) -> None:
        """Add a player who seeks an opponent, and send the first notice."""
        self._last_notices[player] = (opponent, ("", 0))
        self._notify(player)
        self._added.set()

    def remove(self, player: Player) -> None:
        """Remove a player, if it is there."""
        self._last_notices.pop(player, None)

    def _notify(self, player: Player) -> None:
        opponent, before = self._last_notices[player]
        presence, match = now = self._presence(opponent.lower())
        if now == before:
            return
        self._last_notices[player] = (opponent, now)
        if presence != before[0]:
            player.reply(m.Awaited(opponent, presence))
        if match:
            player.reply(m.Plays(opponent, match))

    async def run(self) -> None:
        """Send notices of changes, until cancelled."""
        while True:
            if not self._last_notices:
                self._added = trio.Event()
                await self._added.wait()
            await trio.sleep(CHECK_SECONDS)
            for player in list(self._last_notices):
                if player in self._last_notices:
                    self._notify(player)
                await trio.lowlevel.checkpoint()


def prepare(game: str, parameters: str) -> None:
    """Make the tables of the rules of a board, by doing what a match on it does first."""
    position = GAMES[game].start(parameters)
    position.text()
    position.verdict()
    first = next(position.successors(), None)
    if first is not None:
        position.resolve(first.move)
