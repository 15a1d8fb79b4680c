"""What the arena needs of sessions, of contests, and of processes that host matches."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from engine.record import Header
from engine.wire import messages as m
from engine.wire.seat import Seat
from engine.wire.states import State as Stage
from server.arena.matchmaking import Seek
from server.match.match import Match
from server.match.match_messages import PlayersSeat
from server.match.remote_match import RemoteMatch
from server.net.lending.visitor import Borrower, Visitor
from server.storage.player_logs import FindKept
from server.storage.record_store import Keys, MatchJournal

HostedMatch: TypeAlias = Match | RemoteMatch
"""A match of this process, or of another one."""


class Player(PlayersSeat, Protocol):
    """What the arena needs of a session, beside what a match needs of it."""

    name: str
    key: str
    """Key of the session in `Arena.sessions`: the name in lower case, except for programs of a contest."""
    is_builtin: bool
    seat_token: str
    """Token of the only seat of a contest that the session may take; empty for any."""
    match: HostedMatch | None
    """The match that the session plays in or watches."""
    side: int | None
    """Side in the match; None for a spectator."""

    @property
    def state(self) -> Stage:
        """Return the protocol state of the session."""

    def reply(self, message: m.Message) -> None:
        """Send a message."""

    def answer(self, kind: type, data: bytes) -> None:
        """Send the encoded answer to a request."""

    def close(self, reason: str, sentence: str) -> None:
        """Send BYE and close the connection."""

    @property
    def can_be_lent(self) -> bool:
        """Tell whether another process can go on with the connection."""

    async def settle(self) -> None:
        """Wait until no answer is on its way to the client."""

    def lend(self, borrower: Borrower) -> tuple[int, Visitor]:
        """Leave the connection to another process for a match; return its descriptor and what goes with it."""

    def take_back(self, visitor: Visitor) -> None:
        """Go on with a connection that was lent, in the lobby."""

    def drop(self) -> None:
        """Close a connection that was lent and is lost."""


class PipedProgram(NamedTuple):
    """A program on stdin and stdout, which is logged in, and seeks, without a word of its own."""

    seat: Seat
    has_read: Callable[[], Awaitable[bool]]
    """Waits until it has read the greeting; False where it has said something before, or has ended."""


class NewMatch(NamedTuple):
    """A match that has a journal with its head, and of which nobody was told yet."""

    header: Header
    keys: Keys
    tokens: tuple[str, str]
    """Those for RESUME, of which `keys` are the hashes."""
    journal: MatchJournal
    live_notes: bool
    """Whether spectators see the notes of both players during the match."""


class Workers(Protocol):
    """Processes beside this one that host matches."""

    def begin(self, new: NewMatch, players: Sequence[Player]) -> RemoteMatch | None:
        """Let a process begin a match; None if none can, and nothing has changed."""

    @property
    def busy(self) -> bool:
        """Tell whether a process has a connection."""

    @property
    def hosts(self) -> bool:
        """Tell whether a process hosts a match."""

    async def refresh(self) -> None:
        """Wait until the processes have told how their matches stand by now."""


class Seating(Protocol):
    """What the arena asks contests about: log-ins of their programs, seeks for a contest, and matches of a contest."""

    def seat_of(self, name: str, token: str) -> str | None:
        """Return the session key of a contest program that logs in with its token; None for anybody else."""

    def key_of(self, token: str) -> str:
        """Return the session key that belongs to the token of a seat; empty if there is none."""

    def token_of(self, key: str) -> str:
        """Return the hash of the log-in token of an entrant; empty if its contest names none."""

    @property
    def find_kept(self) -> FindKept:
        """Find what a contest has of a player in a match."""

    def entered(self, player: Player, token: str) -> None:
        """Note the session of a program that `seat_of` has accepted."""

    def failed(self, player: Player) -> None:
        """Note that a request of a player failed through a fault of the server."""

    def offers(self, player: Player, seek: Seek | None, *, rated: bool = False) -> bool:
        """Offer a seeking player to contests, or ``rated`` to the ladder, too; return False if none wants it."""

    def why_unrated(self, name: str) -> str:
        """Return why a player can have no games of the ladder, as a sentence; empty if it can. For any thread."""

    def refused(self, token: str, sentence: str) -> None:
        """Note that a request of the program with this token was answered by an error."""

    def remove(self, player: Player) -> None:
        """Forget a player that cancelled its seek or disconnected."""

    def ended(self, match: Match) -> None:
        """Note that a match of this process has ended."""

    def keeps(self, match: int) -> bool:
        """Tell whether a match resumes when the server is started again."""

    def close(self) -> list[Player]:
        """Release all waiting players, and return them."""


class Arrivals(Protocol):
    """Source of arrival stamps: `server.net.stall_monitor.StallMonitor`."""

    def arrival(self) -> int:
        """Return the arrival stamp, in microseconds, of bytes that were just received."""
