"""What an organiser can set, and the bounds of the server: each with its unit and its reason."""

from pathlib import Path

import msgspec

from engine.match.clock import TimeControl
from engine.wire.messages import MICROSECONDS, PORT
from server.config.builtin_bot import BuiltinBot
from server.config.declared import Range
from server.config.limits import LeagueRules, Limits
from server.config.tls import Identity

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
"""GameResult matches that LIST shows, and as many that a player who lost the connection can still come back to."""


SYNC_SECONDS = 1.0
"""How often what was written is synced: what a power cut may cost. A round for 500 matches takes about as long."""

MAX_SYNC_SECONDS = 60.0
"""Longest pause between two rounds; Linux writes by itself what is older than half of it."""

MIN_BUDGET = 10_000
"""Smallest budget, in microseconds: less is shorter than a network's answer."""

MAX_BUDGET = 24 * 3600 * 1_000_000
"""Largest budget, in microseconds: a day."""

MAX_MOVES = 10_000
"""Largest move limit of a match: its record then still fits OUTBOX_BYTES."""

BUDGET = Range(MIN_BUDGET // MICROSECONDS, MAX_BUDGET // MICROSECONDS, "milliseconds")
INCREMENT = Range(0, MAX_BUDGET // MICROSECONDS, "milliseconds")
MOVE_LIMIT = Range(1, MAX_MOVES, "moves of both sides")
"""What files and command lines may say of matches."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What ``arena-server serve`` takes from its command line."""

    host: str = "127.0.0.1"
    port: int = PORT
    data: Path = Path("arena-data")
    control: TimeControl = TimeControl.of_milliseconds(60_000)
    """For matches whose players ask for no other."""
    move_limit: int = 1000
    """A match of so many moves is drawn. Games of GIPF between equals have about a hundred."""
    least_budget: int = MIN_BUDGET
    """Smallest budget that players may ask for, in microseconds."""
    most_budget: int = MAX_BUDGET
    """Largest budget that players may ask for, in microseconds."""
    most_sessions: int = 4096
    most_matches: int = 2048
    limits: Limits = Limits()
    """Of an address, and of a session."""
    delay_moves: int = 0
    """Moves that spectators see later than the players."""
    live_notes: bool = False
    """Whether spectators see what players note during the match, with the moves; else when it is over."""
    metrics: int | None = None
    """Port for figures, 0 for one that is free; None: there are none."""
    web: tuple[str, int] | None = None
    """Address and port of the pages for browsers, port 0 for one that is free; None: there are none."""
    league: LeagueRules = LeagueRules()
    """What people may keep on the server."""
    user_header: str = ""
    """Header of HTTP by which a proxy in a trusted network names who has signed in there; empty: none does."""
    tls: Identity | None = None
    """What the server shows to its clients; None: nothing is encrypted."""
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
