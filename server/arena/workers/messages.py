"""What the server and a worker process say to each other, as MessagePack.

A connection that is lent has a number, given by the server.
"""

from typing import Any, TypeAlias

import msgspec

from engine.games.outcome import Termination
from server.config.limits import Limits
from server.config.settings import Settings
from server.match.remote_match import Change
from server.net.lending.visitor import Visitor


class Setup(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The first message to a worker, with the descriptor of the lock of the data directory."""

    data: str
    limits: dict[str, float]
    """Without the trusted networks: each visitor says whether it is `limited`."""
    delay_moves: int
    server: str
    verbose: bool
    json: bool


class Begin(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Begin a match, with the descriptors of both players' sockets and of its journal, which has its head."""

    match: int
    head: str
    keys: tuple[str, str]
    tokens: tuple[str, str]
    visitors: tuple[tuple[int, Visitor], tuple[int, Visitor]]
    live_notes: bool


class Resume(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Seat a player who resumes a match, with the descriptor of the socket."""

    match: int
    side: int
    token: str
    number: int
    visitor: Visitor


class Annul(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """End a match without a result."""

    match: int
    termination: Termination
    sentence: str


class EndCrashed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """End a match because the program of a side exited."""

    match: int
    side: int
    sentence: str
    termination: Termination


class Follow(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Tell changes of a match at once: it has spectators."""

    match: int


class Close(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Send BYE to a visitor and close its connection."""

    number: int
    reason: str
    sentence: str


class Tell(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Tell what has changed in all matches, and then `Told`."""


class Share(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Each address whose messages were told has so many connections."""

    connections: dict[str, int]


Order: TypeAlias = Setup | Begin | Resume | Annul | EndCrashed | Follow | Close | Tell | Share


class Changed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A match has changed."""

    match: int
    change: Change


class Over(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A match is over; what `Changed` tells of its end comes before."""

    match: int
    recorded: bool
    """Whether its journal has its end."""
    fault_cause: str
    disconnected: tuple[bool, bool]


class Returned(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The match of a visitor is over, and its connection is the server's again."""

    number: int
    visitor: Visitor


class Left(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The connection of a visitor is closed."""

    number: int


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A visitor has come back to a match that is over."""

    number: int
    token: str
    visitor: Visitor


class Told(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """All is told that had happened when the server sent `Tell`."""


class Report(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Told several times a second, whatever happens: the worker is alive."""

    written: tuple[int, ...]
    """Matches whose journals have grown since the last report."""
    moves: tuple[int, ...]
    """Moves since the last report by time until they were answered, in buckets of `server.match.stats.Histogram`."""
    moves_sum: int
    """Microseconds of all these times."""
    stalls: int
    stalled: int
    """Stalls of the process since the last report, and their microseconds."""
    spent: dict[str, int]
    """Messages of each address that has limits, since the last report."""


News: TypeAlias = Changed | Over | Returned | Left | Refused | Told | Report

_encoder = msgspec.msgpack.Encoder()
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_news: msgspec.msgpack.Decoder[News] = msgspec.msgpack.Decoder(News)


def encode(message: Order | News) -> bytes:
    """Return a message as bytes."""
    return _encoder.encode(message)


def decode_order(data: bytes) -> Order:
    """Return a message of the server."""
    return _orders.decode(data)


def decode_news(data: bytes) -> News:
    """Return a message of a worker."""
    return _news.decode(data)


def setup_of(settings: Settings, server: str) -> Setup:
    """Return what a worker needs to know of the settings."""
    limits: dict[str, Any] = {
        field: getattr(settings.limits, field) for field in settings.limits.__struct_fields__ if field != "trusted"
    }
    return Setup(str(settings.data), limits, settings.delay_moves, server, settings.verbose, settings.log_json)


def limits_of(setup: Setup) -> Limits:
    """Return the limits of sessions from the first message."""
    values: dict[str, Any] = setup.limits
    return Limits(**values)
