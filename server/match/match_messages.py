"""What players and spectators are told of a match as a whole: that there is one, and all of it when it is over."""

from collections.abc import Callable
from typing import Protocol

from engine.record import Header
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.messages import Message
from engine.wire.words import word_of


class Seat(Protocol):
    """What a match needs of a session: a player's or a spectator's."""

    def tell(self, kind: type, data: bytes) -> None:
        """Send messages of a kind, already encoded."""

    def leave(self) -> None:
        """The match is over."""


class PlayersSeat(Seat, Protocol):
    """What a match needs of a player's session beside."""

    @property
    def direct(self) -> bool:
        """Tell whether what was told is handed over at the end of the loop's pass."""

    def when_handed(self, call: Callable[[], None]) -> None:
        """Call something when all that was told is handed over, or can never be; where it is not `direct`."""


def announcement(header: Header, side: int, token: str) -> m.Match:
    """Return the MATCH of a side."""
    position = header.position
    return m.Match(
        header.match,
        position.game.name,
        word_of(position.parameters),
        position.game.sides[side],
        header.players[1 - side],
        *header.control.milliseconds,
        header.move_limit,
        token,
    )


def watching(header: Header) -> m.Watching:
    """Return the WATCHING of a match."""
    position = header.position
    return m.Watching(
        header.match,
        position.game.name,
        word_of(position.parameters),
        *header.players,
        *header.control.milliseconds,
        header.move_limit,
    )


def tell_everybody(seat: Seat, messages: list[Message]) -> None:
    """Tell several messages."""
    for message in messages:
        seat.tell(type(message), encode(message))
