"""Settings of an organiser, and bounds of the server, of addresses and of sessions, with units and reasons.

A rate is stored as one stamp, at which all requests will have been paid off. This is the generic cell rate algorithm
(ITU-T I.371, 1996), a token bucket without a refill.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated

import msgspec

from engine.match.clock import TimeControl
from engine.wire.messages import MICROSECONDS, PORT
from server.config.builtin_bot import BuiltinBot
from server.config.declared import Range
from server.config.keys import CertificateFiles

Network = IPv4Network | IPv6Network

LOOPBACK: tuple[Network, ...] = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))

READ_BYTES = 1024
"""Bytes that count as a message where they hold no line end: those of a longest line."""

ANSWER_BYTES = 256
"""Bytes of an answer that count as a message: to list matches takes the server as long as so many short requests."""

WORK = 100
"""Microseconds of the processor that count as a message where an answer takes more of them: a short one takes fewer."""

SEEK_COST = 100
"""Messages that a SEEK counts as: a match that begins and ends takes the server as long as so many short requests."""

FIRST_MESSAGES = 20
"""Messages that a session may send at once in the beginning: otherwise it would pay to connect again and again."""

PLAYING_MESSAGES = 50
"""Messages a second that a session may send that plays, whatever others of its address do."""


TRUSTED_MESSAGES = 5000
"""Messages a second, by work, of all trusted sessions that do not play: programs of this machine get half of the
processor's time. A session gets half of that; one that plays gets all of it, and its moves are free."""

TRUSTED_AT_ONCE = 5000
"""Messages beyond those rates: hundreds of programs may log in at the same moment."""


MAX_ALLOWANCE = 1_000_000
"""Largest latency, in microseconds, that is given back to a player a turn: more is no latency."""


MAX_SECONDS = 7 * 86_400.0
"""Longest time that anything is waited for: a week."""

MAX_LIMIT = 1_000_000
"""Largest number of connections, messages and matches that a limit may be set to."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """``[limits]`` of the configuration. They are such that a class of forty behind one address does not notice them.

    An address is an IPv4 address, or the first 64 bits of an IPv6 one.
    """

    trusted: tuple[Network, ...] = LOOPBACK
    """Networks without limits of connections and of messages: the machine itself, where contests play their bots.

    Their requests are charged by the work that they make, but for moves."""
    connections: Annotated[int, Range(1, MAX_LIMIT)] = 400
    """Open at a time from an address: ten for each of forty."""
    connects: Annotated[int, Range(1, MAX_LIMIT, "a second")] = 40
    """Connections a second from an address, in the long run."""
    connects_at_once: Annotated[int, Range(1, MAX_LIMIT)] = 400
    """Connections beyond that rate: everybody may begin at the same moment."""
    messages: Annotated[int, Range(1, MAX_LIMIT, "a second")] = 1000
    """A second and session; nobody plays as fast over a network. Further messages are read more slowly."""
    messages_of_address: Annotated[int, Range(1, MAX_LIMIT, "a second")] = 5000
    """A second, shared out evenly between the sessions of an address."""
    messages_at_once: Annotated[int, Range(1, MAX_LIMIT)] = 200
    """Messages of a session beyond its rate: a program may ask for much after a pause."""
    flood_seconds: Annotated[float, Range(0.1, MAX_SECONDS)] = 10.0
    """How long a session may be read more slowly without a pause before it is closed."""
    matches: Annotated[int, Range(1, MAX_LIMIT)] = 200
    """Sessions of an address that seek or play at a time."""
    guest_seconds: Annotated[float, Range(1, MAX_SECONDS)] = 300.0
    """How long a guest may be silent: long enough to read how to log in."""
    line_seconds: Annotated[float, Range(1, MAX_SECONDS)] = 60.0
    """How long a line may stay unfinished: long enough to type it."""


def address_of(host: str) -> str:
    """Return what limits are counted by: the IPv4 address, or the first 64 bits of an IPv6 one."""
    address = _plain(host)
    return str(address if isinstance(address, IPv4Address) else IPv6Network((address, 64), strict=False))


def is_trusted(host: str, limits: Limits) -> bool:
    """Tell whether a host lies in one of the trusted networks."""
    address = _plain(host)
    return any(address in network for network in limits.trusted)


def _plain(host: str) -> IPv4Address | IPv6Address:
    """Read an address as sockets give it: perhaps with a zone, perhaps an IPv4 address in the clothes of IPv6."""
    address = ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


class Rate:
    """How much of a rate has been used. Stamps and waits are in microseconds."""

    __slots__ = ("_paid",)

    def __init__(self, paid: float = 0.0) -> None:
        """Begin with what will have been paid off at a stamp."""
        self._paid = paid

    def use(self, now: int, cost: float, a_second: float) -> None:
        """Use some."""
        self._paid = max(self._paid, now) + cost * 1_000_000 / a_second

    def owed(self, now: int, a_second: float, at_once: float) -> float:
        """Return how many microseconds to wait before more may be used, 0 while no more than ``at_once`` is owed."""
        return max(0.0, self._paid - now - at_once * 1_000_000 / a_second)

    def allows(self, now: int, cost: float, a_second: float, at_once: float) -> bool:
        """Use some if that needs no waiting, else nothing; tell whether it was used."""
        before = self._paid
        self.use(now, cost, a_second)
        if self.owed(now, a_second, at_once) == 0:
            return True
        self._paid = before
        return False

    def unused(self, now: int) -> bool:
        """Tell whether everything is paid off."""
        return self._paid <= now


class LeagueRules(msgspec.Struct, frozen=True, kw_only=True):
    """Quotas of people, and retention of files."""

    quota: Annotated[int, Range(1, 1_000_000, "megabytes")] = 512
    """Megabytes on the disk of all versions of a person, with the records of comparisons."""
    built_versions: Annotated[int, Range(1, 1000, "versions")] = 10
    """Newest versions of a bot that stay built. Uploads of older versions stay, and are built again when they play."""
    log_days: Annotated[int, Range(1, 3650, "days")] = 365
    """Days after which logs of versions, and records of comparisons, are removed."""


WEB = "127.0.0.1:8080"
"""Where pages are served unless told otherwise."""

OUTBOX_BYTES = 1024 * 1024
"""Most that waits for a peer that does not read; the record of the longest match fits. Then the peer is dropped."""

WRITE_BYTES = 64 * 1024
"""Most that is sent at a time of what waits for a peer."""

WRITE_SECONDS = 20.0
"""Longest that a peer may take for WRITE_BYTES: a slow line may be slow, but not dead."""

RECEIVE_BYTES = 4096
"""Read from a peer at a time, so that a flood takes its turn with everybody else."""

ERRORS = 100
"""Errors after which a session is closed: it does not understand the protocol, or does not want to."""

REQUESTS_PER_TURN = 8
"""MOVES, and BOARD, that a player may ask for between two moves of a match; both cost the server time."""

LISTED_MOVES = 2000
"""Most legal moves that MOVES lists. The original game has at most some hundred; only boards with small K and
large S have more."""

RECENT_MATCHES = 200
"""Finished matches that LIST shows, and as many that a player who lost the connection can still come back to."""


SYNC_SECONDS = 1.0
"""How often what was written is synced: what a power cut may cost. A round for 500 matches takes about as long."""

MAX_SYNC_SECONDS = 60.0
"""Longest pause between two rounds; Linux writes by itself what is older than half of it."""

MIN_BUDGET = 10_000
"""Smallest budget that players may ask for, in microseconds: less is shorter than a network's answer."""

MAX_BUDGET = 24 * 3600 * 1_000_000
"""Largest budget that players may ask for, in microseconds: a day."""

MAX_MOVES = 10_000
"""Largest move limit of a match: its record then still fits OUTBOX_BYTES."""

BUDGET = Range(MIN_BUDGET // MICROSECONDS, MAX_BUDGET // MICROSECONDS, "milliseconds")
INCREMENT = Range(0, MAX_BUDGET // MICROSECONDS, "milliseconds")
MOVE_LIMIT = Range(1, MAX_MOVES, "moves of both sides")
"""Ranges of the settings of matches in files and on command lines."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a server."""

    host: str = "127.0.0.1"
    port: int = PORT
    data: Path = Path("arena-data")
    control: TimeControl = TimeControl.of_milliseconds(60_000)
    """For matches whose players ask for no other."""
    move_limit: int = 1000
    """A match of so many moves is drawn. Games of GIPF between equals have about a hundred."""
    most_sessions: int = 4096
    most_matches: int = 2048
    limits: Limits = Limits()
    """Limits of addresses and sessions."""
    delay_moves: int = 0
    """Moves that spectators see later than the players."""
    live_notes: bool = False
    """Whether spectators see what players note during the match, with the moves; else when it is over."""
    metrics: int | None = None
    """Port for figures, 0 for one that is free; None: there are none."""
    web: tuple[str, int] | None = None
    """Address and port of the pages for browsers, port 0 for one that is free; None: there are none."""
    league: LeagueRules = LeagueRules()
    """Quotas and retention of submissions."""
    user_header: str = ""
    """Header of HTTP by which a proxy in a trusted network names who has signed in there; empty: none does."""
    tls: CertificateFiles | None = None
    """Certificate and key of the server; None: connections are not encrypted."""
    tokens: dict[str, str] | None = None
    """Name in lower case -> SHA-256 of the token, in hexadecimal; None: everybody may play."""
    organiser: str = ""
    """SHA-256 of the organiser's token, in hexadecimal; empty: nobody is one."""
    builtin_bots: tuple[BuiltinBot, ...] = ()
    """Built-in bots that wait for opponents."""
    lag_allowance: int = 0
    """Most microseconds of a turn that a player is not charged for the way through the network."""
    return_seconds: float = 30.0
    """Seconds that players are waited for, without a clock that runs, after a server that has died starts again."""
    sync_seconds: float = SYNC_SECONDS
    """Seconds after which records and the database are synced again; 0: that is left to the operating system."""
    grace: float = 0.0
    """Seconds that running matches are given to end when the server is stopped."""
