"""MATCH and WATCHING, the messages that describe a match, and the sessions that they are sent to."""

from collections.abc import Callable
from typing import Protocol

from engine.record import Header
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.messages import Message
from engine.wire.words import word_of
from server.match.referee import State


class Seat(Protocol):
    """What a match needs of a session of a player or a spectator."""

    def tell(self, kind: type, data: bytes) -> None:
        """Send encoded messages of one kind."""

    def leave(self) -> None:
        """Forget the match, which is over."""


class PlayersSeat(Seat, Protocol):
    """What a match needs of a session of a player."""

    @property
    def direct(self) -> bool:
        """Tell whether messages are sent at the end of this pass of the event loop."""

    def call_when_sent(self, call: Callable[[], None]) -> None:
        """Call a function when all messages up to now are sent, or can never be; only where not `direct`."""


def announcement(header: Header, side: int, token: str) -> m.Match:
    """Return MATCH for a side."""
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
    """Return WATCHING for a match."""
    position = header.position
    return m.Watching(
        header.match,
        position.game.name,
        word_of(position.parameters),
        *header.players,
        *header.control.milliseconds,
        header.move_limit,
    )


def listing_head(header: Header) -> str:
    """Return the part of the line of a match in LIST that does not change."""
    position, times = header.position, " ".join(map(str, header.control.milliseconds))
    players = " ".join(header.players)
    return f"{header.match} {position.game.name} {word_of(position.parameters)} {players} {times}"


def listing_line(head: str, state: State, plies: int) -> str:
    """Return the line of a match in LIST, in which spectators have seen so many moves."""
    outcome = state.outcome
    if outcome is not None:
        return f"{head} {plies} {outcome.result(state.sides)} {outcome.termination}"
    return f"{head} {plies} {'running' if state.playing else 'preparing'}"


def send_messages(seat: Seat, messages: list[Message]) -> None:
    """Encode and send several messages."""
    for message in messages:
        seat.tell(type(message), encode(message))
