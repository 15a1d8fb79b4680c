"""The arena: who is here, who waits, which matches are played. Decides at once, and never waits.

Sessions hand in the requests that the protocol allows them; `server.arena.requests` answers through them.
"""

import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import structlog
import trio

from engine.clock import TimeControl
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.games.outcome import Termination
from engine.record import Header
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.states import IN_MATCH
from engine.wire.states import State as Stage
from server.arena import matchmaking
from server.arena.opponent_notices import OpponentNotices
from server.arena.past_matches import PastMatches
from server.arena.stats import SUSPENDED, ServerStats
from server.config.settings import RECENT_MATCHES, Settings
from server.match import referee
from server.match.board_preparation import Prepared
from server.match.flag_timer import FlagTimer
from server.match.match import Match, MatchContext
from server.match.referee import State
from server.net.listener import AcceptStatus
from server.net.os_faults import server_fault
from server.net.send_queue import SendQueue
from server.net.stall_monitor import StallLog
from server.storage.record_store import Keys, MatchJournal, RecordStore

log = structlog.get_logger()


class Player(Protocol):
    """What the arena needs of a session."""

    name: str
    key: str
    """By which it stands among the sessions: the name in lower case, but for programs of a contest."""
    is_builtin: bool
    ticket: str
    """Token of the only seat of a contest that it may take; empty for any."""
    match: Match | None
    """The match that the session plays in or watches."""
    side: int | None
    """Its side where it plays."""

    @property
    def state(self) -> Stage:
        """Return the state of the protocol that it is in."""

    def reply(self, message: m.Message) -> None:
        """Send a message."""

    def answer(self, kind: type, data: bytes) -> None:
        """Send the answer to a request, already encoded."""

    def tell(self, kind: type, data: bytes) -> None:
        """Send messages of a kind, already encoded. Spectators may get them after the players."""

    @property
    def direct(self) -> bool:
        """Tell whether what was told is handed over at the end of the loop's pass."""

    def when_handed(self, call: Callable[[], None]) -> None:
        """Call something when all that was told is handed over, or can never be; where it is not `direct`."""

    def leave(self) -> None:
        """The match is over."""

    def close(self, reason: str, sentence: str) -> None:
        """Say goodbye and close the connection."""


class Seating(Protocol):
    """What contests tell the arena about their players: who is let in, who waits for them, which matches are theirs."""

    def seat_of(self, name: str, token: str) -> str | None:
        """Return the key of a program's session that logs in with the token of its seat, None for anybody else."""

    def key_of(self, token: str) -> str:
        """Return the key of the session that a seat's token leads to, empty where there is none."""

    def token_of(self, key: str) -> str:
        """Return the hash of the token by which an entrant logs in, empty where its contest names none."""

    def entered(self, player: Player, token: str) -> None:
        """A program that `seat_of` has let in has a session."""

    def failed(self, player: Player) -> None:
        """Something went wrong in the server while it did what a player asked for."""

    def offers(self, player: Player, seek: matchmaking.Seek | None) -> bool:
        """Take a player for a contest; False where none waits for it."""

    def refused(self, token: str, sentence: str) -> None:
        """A request of the program with this token was answered by an error."""

    def remove(self, player: Player) -> None:
        """A player waits no longer, or is gone."""

    def ended(self, match: Match) -> None:
        """A match has ended."""

    def keeps(self, match: int) -> bool:
        """Tell whether a match is to go on when the server is started again."""

    def close(self) -> list[Player]:
        """Give up all who wait, and return them."""


class Arena:
    """Everything that the server knows while it runs."""

    def __init__(
        self,
        settings: Settings,
        record_store: RecordStore,
        flags: FlagTimer,
        send_queue: SendQueue,
        clock: Callable[[], int],
        server: str,
        contest_players: Seating,
    ) -> None:
        """Open the arena, empty. ``clock`` counts microseconds; ``server`` names the program in records."""
        self.settings = settings
        self.server = server
        self.sessions: dict[str, Player] = {}
        """Sessions that are logged in, by `Player.key`."""
        self.matches: dict[int, Match] = {}
        self.builtin_tokens: dict[str, str] = {}
        """Name in lower case -> token of the server's own bots."""
        self.builtin_kinds: dict[str, str] = {}
        """Name in lower case -> the name, in lower case, by which any of their kind may be asked for."""
        self.stopping = False
        self.closing = trio.Event()
        """Set when the server is to stop without a signal."""
        self.ports: list[int] = []
        """Where the server listens."""
        self.own_address = ("127.0.0.1", 0)
        """Where the server's own programs find it, without TLS."""
        self.web_ports: list[int] = []
        """Where it serves pages."""
        self._present: dict[Player, None] = {}
        self.recent: deque[Match] = deque(maxlen=RECENT_MATCHES)
        """The last matches that have ended."""
        self.lobby = matchmaking.Matchmaking()
        self.opponent_notices: OpponentNotices[Player] = OpponentNotices(self.presence)
        """Those in the lobby who wait for somebody by name."""
        self._seats: dict[str, list[Match]] = {}
        """The running matches of everybody who plays, by `Player.key`."""
        self.contest_players = contest_players
        self.accept_status = AcceptStatus()
        self.record_store = record_store
        self.past_matches = PastMatches()
        self.in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync
        """Lets another thread do what may take long."""
        self.prepared = Prepared()
        self.send_queue = send_queue
        self.stalls = StallLog()
        ends = (self._ended, self._match_fault)
        self.tally = ServerStats(clock, send_queue)
        self._around = MatchContext(
            clock, flags, send_queue, *ends, self.stalls, self.tally.moved, settings.delay_moves
        )

    def come(self, player: Player) -> None:
        """A connection was accepted."""
        self._present[player] = None

    def connected_sessions(self) -> list[Player]:
        """Return all sessions, guests included."""
        return list(self._present)

    def stop(self) -> None:
        """Begin no more matches."""
        self.stopping = True
        for player in [*(self.sessions[key] for key in self.waiting()), *self.contest_players.close()]:
            self.opponent_notices.remove(player)
            player.reply(m.Cancelled())
        self.lobby = matchmaking.Matchmaking()

    def gone(self, player: Player) -> None:
        """A session's connection is closed: forget it, but keep its seat in a match."""
        self._present.pop(player, None)
        if self.sessions.get(player.key) is player:
            del self.sessions[player.key]
            self.wait_no_more(player)
        self.contest_players.remove(player)
        match = player.match
        player.match = None
        if match is None:
            return
        if player.side is None:
            match.watchers.pop(player, None)
        elif match.players[player.side] is player:
            try:
                match.lost(player.side)
            except Exception as error:
                self._match_fault(match, error)

    def fault(self, player: Player, error: Exception) -> bool:
        """Something went wrong in the server while it did what a session asked for: annul that match alone.

        Return whether there was one, in which the session played: then nothing else is wrong with the session.
        """
        self.contest_players.failed(player)
        if player.match is None or player.side is None:
            log.error("request_failed", player=player.name, exc_info=error)
            return False
        self._match_fault(player.match, error, player.name)
        return True

    def crashed(self, number: int, side: int, sentence: str, termination: Termination = Termination.CRASHED) -> None:
        """The program that plays a side of a match has ended, by itself or for a bound, as ``termination`` says."""
        match = self.matches.get(number)
        if match is not None:
            try:
                match.crashed(side, sentence, termination)
            except Exception as error:
                self._match_fault(match, error)

    def not_kept(self, number: int, error: OSError) -> None:
        """The disk has not kept what was written of a match: it cannot go on."""
        match = self.matches.get(number)
        if match is not None:
            self._match_fault(match, error)

    def _match_fault(self, match: Match, error: Exception, player: str = "") -> None:
        """Annul a match; whatever else goes wrong in it ends here. ``player``: who asked for what has failed."""
        match.lacked = server_fault(error)
        log.error("match_annulled", match=match.number, **({"player": player} if player else {}), **_told(error))
        try:
            what = match.lacked or type(error).__name__
            self.annul(match, Termination.SERVER_FAULT, f"a fault of the server's own: {what}")
        except Exception as another:
            log.error("match_fault_handler_failed", match=match.number, exc_info=another)

    def annul(self, match: Match, termination: Termination, sentence: str) -> None:
        """End a match without a result, whatever state it is in."""
        try:
            match.annul(termination, sentence)
        except Exception as error:
            log.error("match_annulment_failed", match=match.number, **_told(error))
            match.abandon(termination, sentence)

    def waiting(self) -> Iterator[str]:
        """Return the keys of those who wait to be paired."""
        return (seek.key for seek in self.lobby)

    def wait_no_more(self, player: Player) -> None:
        """Take a player out of the lobby, if it is there."""
        self.opponent_notices.remove(player)
        self.lobby.remove(player.key)

    def presence(self, name: str) -> tuple[str, int]:
        """Return where a player is, by its name in lower case, as AWAITED says it, and the match that it plays, or 0.

        Of built-in bots, any of that kind counts.
        """
        keys = [name, *(key for key, kind in self.builtin_kinds.items() if kind == name and key != name)]
        states = [self.sessions[key].state for key in keys if key in self.sessions]
        if Stage.SEEKING in states:
            return "seeking", 0
        if any(state not in IN_MATCH for state in states):
            return "here", 0
        playing = [self.sessions[key].match if key in self.sessions else self.seated(key)[0] for key in keys]
        match = next((match for match in playing if match is not None), None)
        return ("absent", 0) if match is None else ("playing", match.number)

    def seated(self, key: str) -> tuple[Match | None, int]:
        """Return the match, and side, in which a player has a seat but no connection."""
        for match in self._seats.get(key, ()):
            for side in (0, 1):
                if match.players[side] is None and match.names[side] == key:
                    return match, side
        return None, 0

    def enter(self, player: Player, name: str, key: str) -> None:
        """Let a session stand for a player from now on, and welcome it."""
        player.name, player.key = name, key
        player.is_builtin = key in self.builtin_tokens
        self.sessions[key] = player
        player.reply(m.Welcome(name))

    def find(self, number: int) -> Match | None:
        """Return a match that is running, or was among the last to end."""
        if number in self.matches:
            return self.matches[number]
        return next((match for match in self.recent if match.number == number), None)

    def begin(self, pairing: matchmaking.Pairing) -> Match:
        """Begin a match between two sessions that are logged in."""
        game = GAMES[pairing.game]
        position = game.start(game.default_parameters if pairing.parameters is None else pairing.parameters)
        control = matchmaking.control(pairing, self.settings.control)
        sessions = [self.sessions[key] for key in pairing.keys]
        return self.seat(self.next_number(), position, sessions, control, self.settings.move_limit)

    def next_number(self) -> int:
        """Return a number that no match had yet."""
        return self.record_store.next_number()

    def seat(
        self, number: int, position: Position, players: Sequence[Player], control: TimeControl, move_limit: int
    ) -> Match:
        """Begin a match between two who are logged in and in none; raises OSError where its record cannot be begun."""
        started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        names = (players[0].name, players[1].name)
        lag = self.settings.lag_allowance
        header = Header(number, position, names, control, move_limit, self.server, started, lag)
        tokens = (secrets.token_hex(16), secrets.token_hex(16))
        keys = Keys.of(*tokens)
        journal, match = self.record_store.begin(number, keys, header.text()), None
        try:
            match = Match(referee.begin(header), keys, journal, self._around)
            match.names = (players[0].key, players[1].key)
            match.announce(players, tokens)
        except Exception:
            journal.discard()
            if match is not None:
                match.suspend()
            raise
        self._add(match)
        for side, session in enumerate(players):
            self.opponent_notices.remove(session)
            session.match, session.side = match, side
        return match

    def resume_match(self, state: State, keys: Keys, journal: MatchJournal, heard: tuple[bool, bool]) -> None:
        """Go on with a match that was running when the last server died, and wait for its players.

        ``heard`` tells who is known to have been told of it: only their names are kept for them.
        """
        match = Match(state, keys, journal, self._around, state.sent)
        match.heard = list(heard)
        self._add(match)

    def _add(self, match: Match) -> None:
        self.matches[match.number] = match
        for key in match.names:
            self._seats.setdefault(key, []).append(match)
        self.tally.started += 1

    def _remove(self, match: Match) -> None:
        if self.matches.pop(match.number, None) is None:
            return
        for key in match.names:
            self._seats[key].remove(match)
            if not self._seats[key]:
                del self._seats[key]

    def gather(self, names: Iterable[str]) -> None:
        """Let those of these who wait to be paired wait for a contest that was opened just now, if they are wanted."""
        for name in names:
            seek = self.lobby.seek_of(name.lower())
            if seek is None:
                continue
            try:
                wanted = self.contest_players.offers(self.sessions[seek.key], seek)
            except ProtocolError:  # what it seeks is not played there
                continue
            if wanted:
                self.lobby.remove(seek.key)

    def suspend(self, match: Match) -> None:
        """Leave a running match as it is, for the next server to go on with."""
        players = [self.sessions[key] for key in match.names if key in self.sessions]
        players = [player for player in players if player.match is match and player.side is not None]
        match.suspend()
        for player in players:
            player.close("suspended", f"the server stops; come back to match {match.number} when it is there again")
        self._remove(match)
        self.tally.results[SUSPENDED] += 1

    def import_record(self, number: int, text: str) -> None:
        """Keep the record of a match that was played elsewhere; raises OSError. May be called in another thread."""
        self.record_store.import_record(number, text)

    def waits(self, player: Player) -> bool:
        """Tell whether a player is still there, and in no match."""
        return player in self._present and player.match is None

    def _ended(self, match: Match) -> None:
        self._remove(match)
        self.recent.append(match)
        self.contest_players.ended(match)
        self.tally.ended(match.state, match.now())


def _told(error: Exception) -> dict[str, Any]:
    """Return how the log tells of a fault: by a clause where the machine lacks something, else by one traceback."""
    lack = server_fault(error)
    error.__suppress_context__ = True  # what has led to it is in the log already
    return {"reason": lack} if lack else {"exc_info": error}
