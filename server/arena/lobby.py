"""The lobby: interfaces of sessions and contests, notices about opponents, and preparation of boards."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

import trio

from engine.games.catalogue import GAMES
from engine.wire import messages as m
from engine.wire.seat import Seat
from server.arena.matchmaking import Seek
from server.match.match import Match
from server.match.match_messages import PlayerSeat
from server.net.admission import LimitedSession
from server.storage.player_logs import FindKept

CHECK_SECONDS = 1.0
"""Time between two checks for changes."""


MAX_BOARDS = 64
"""Boards that count as prepared: the latest, and fewer than the games keep tables of."""


class Player(PlayerSeat, LimitedSession, Protocol):
    """Interface of a session for the arena, in addition to the interface for matches."""

    name: str
    host: str
    """Address of the peer."""
    key: str
    """Key of the session in `Arena.sessions`: the name in lower case, except for programs of a contest."""
    seat_token: str
    """Token of the only seat of a contest that the session may take; empty for any."""
    last_match: int
    """Number of the match that the session has played last, whose log still takes its lines; 0 for none."""
    match: Match | None
    """The match that the session plays in or watches."""
    side: int | None
    """Side in the match; None for a spectator."""

    def reply(self, message: m.Message) -> None:
        """Send a message."""


class PipedProgram(NamedTuple):
    """A program on stdin and stdout, which is logged in, and seeks, without a word of its own."""

    seat: Seat
    has_read: Callable[[], Awaitable[bool]]
    """Waits until it has read the greeting; False where it has said something before, or has ended."""
    wrote: Callable[[str], None] = lambda _line: None
    """Told of the first line that it writes before it has read the greeting."""


class Seating(Protocol):
    """Interface of contests for the arena: log-ins of their programs, seeks for a contest, and matches of a contest."""

    def seat_of(self, name: str, token: str) -> str | None:
        """Return the session key of a contest program that logs in with its token; None for anybody else."""

    def key_of(self, token: str) -> str:
        """Return the session key that belongs to the token of a seat; empty if there is none."""

    def token_of(self, key: str) -> str:
        """Return the hash of the log-in token of an entrant; empty if its contest names none."""

    def is_entrant(self, name: str) -> bool:
        """Tell whether a name is that of an entrant of a contest."""

    @property
    def find_kept(self) -> FindKept:
        """The function that finds the log and the token of a player in a match of a contest."""

    def entered(self, player: Player, token: str) -> None:
        """Note the session of a program that `seat_of` has accepted."""

    def refused(self, player: Player, refusal: str) -> bool:
        """Note a refused line of a program that a contest has started; return False for anybody else."""

    def failed(self, player: Player) -> None:
        """Note that a request of a player failed through a fault of the server."""

    def offers(self, player: Player, seek: Seek | None, *, rated: bool = False) -> bool:
        """Offer a seeking player to contests, or ``rated`` to the ladder, too; return False if none wants it."""

    def notify_stranger(self, player: Player) -> None:
        """Send a player who waits for contests, and is an entrant of none, the names of their entrants."""

    def why_unrated(self, name: str) -> str:
        """Return why a player can have no games of the ladder, as a sentence; empty if it can. For any thread."""

    def remove(self, player: Player) -> None:
        """Forget a player that cancelled its seek or disconnected."""

    def ended(self, match: Match) -> None:
        """Note that a match has ended."""

    def finished(self, player: Player) -> str:
        """Return the sentence that the contest of a player is over; empty if it is not."""

    def keeps(self, match: int) -> bool:
        """Tell whether a match resumes when the server is started again."""

    def close(self) -> list[Player]:
        """Release all waiting players, and return them."""


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
    if not position.is_over:
        position.child(next(position.children()).move)
