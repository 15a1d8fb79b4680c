"""Who waits for whom: players that seek a named opponent are told whether it is here, and again when that changes."""

from collections.abc import Callable
from itertools import islice
from typing import Generic, Protocol, TypeVar

import trio

from engine.wire import messages as m

LOOK_SECONDS = 1.0
"""How often it is looked whether anything has changed."""

LOOKED_AT_ONCE = 50
"""Players that are looked at before the event loop gets to others: so many take a tenth of a millisecond."""


class Waiting(Protocol):
    """Whoever waits for an opponent."""

    def reply(self, message: m.Message) -> None:
        """Send a message."""


Player = TypeVar("Player", bound=Waiting)


class OpponentNotices(Generic[Player]):
    """Everybody who waits for a named opponent, and what they were told of it last."""

    def __init__(self, presence: Callable[[str], tuple[str, int]]) -> None:
        """Begin with nobody.

        ``presence`` tells of a name, in lower case, where that player is, and in which match, 0 for none.
        """
        self._presence = presence
        self._told: dict[Player, tuple[str, tuple[str, int]]] = {}
        self._begun = trio.Event()

    def add(self, player: Player, opponent: str) -> None:
        """A player has begun to wait for an opponent: tell it where that one is."""
        self._told[player] = (opponent, ("", 0))
        self._tell(player)
        self._begun.set()

    def remove(self, player: Player) -> None:
        """A player waits no more, for whatever reason."""
        self._told.pop(player, None)

    def _tell(self, player: Player) -> None:
        opponent, before = self._told[player]
        presence, match = now = self._presence(opponent.lower())
        if now == before:
            return
        self._told[player] = (opponent, now)
        if presence != before[0]:
            player.reply(m.Awaited(opponent, presence))
        if match:
            player.reply(m.Plays(opponent, match))

    async def run(self) -> None:
        """Tell of what changes, until cancelled."""
        while True:
            if not self._told:
                self._begun = trio.Event()
                await self._begun.wait()
            await trio.sleep(LOOK_SECONDS)
            players = iter(list(self._told))
            while some := list(islice(players, LOOKED_AT_ONCE)):
                for player in some:
                    if player in self._told:
                        self._tell(player)
                await trio.lowlevel.checkpoint()
