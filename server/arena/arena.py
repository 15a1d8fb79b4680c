"""The state of the server: sessions, seeks and running matches. No method waits for I/O.

Sessions pass on the requests that the protocol allows in their state; `server.arena.requests` carries them out.
"""

import re
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import trio

from engine.games.catalogue import GAMES
from engine.games.interface import Position, Termination
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header, milliseconds
from engine.match.verification import finished_match
from engine.wire import messages as m
from engine.wire.ends import IN_MATCH, SessionState, log_line_of
from engine.wire.words import MAX_NAME_CHARACTERS, NAME_PATTERN, nearest, without_folders
from server.arena import matchmaking
from server.arena.lobby import MAX_BOARDS, OpponentNotices, Player, Seating, prepare
from server.config.settings import RECENT_MATCHES, Settings
from server.match.match import Match, MatchContext
from server.match.match_messages import now_text
from server.match.stats import SUSPENDED, ServerStats
from server.net.admission import AcceptStatus
from server.net.connection import Poller
from server.net.timing import FlagTimer, StallLog
from server.ops.faults import server_fault
from server.ops.logs import log
from server.storage.player_logs import SentLogs
from server.storage.record_store import Keys, MatchJournal, RecordStore

MAX_SHOWN_PLAYERS = 10
"""Players that are listed for a player who seeks an unknown opponent."""

SENT_AT_ONCE = 50
"""Announcements that are sent in a pass of the event loop."""


class Announcement(NamedTuple):
    """A sentence of an organiser for everybody."""

    number: int
    who: str
    text: str
    made: datetime
    ends: datetime
    """Pages show it until then."""


class Arena:
    """The state of a running server."""

    def __init__(
        self,
        settings: Settings,
        record_store: RecordStore,
        clock: Callable[[], int],
        server: str,
        contest_players: Seating,
    ) -> None:
        """Start without sessions or matches. ``clock`` counts microseconds; ``server`` names the program in records."""
        self.settings = settings
        self.server = server
        self.sessions: dict[str, Player] = {}
        """Logged-in sessions by `Player.key`."""
        self.matches: dict[int, Match] = {}
        self.builtin_tokens: dict[str, str] = {}
        """Tokens of the built-in bots by name in lower case."""
        self.builtin_kinds: dict[str, str] = {}
        """Kind of each built-in bot, in lower case, by name in lower case."""
        self.account_token: Callable[[str], str | None] = lambda _name: None
        """Finds the hash of the token of a bot whose author has an account; None for a name that belongs to nobody."""
        self.organiser_done: Callable[[str], None] = lambda _what: None
        """Called with each action of an organiser over the network."""
        self.announcements: tuple[Announcement, ...] = ()
        """Current announcements of organisers, for pages."""
        self.stopping = False
        self.closing = trio.Event()
        """Set to stop the server."""
        self.stop_signal = ""
        """Name of the signal that stops the server; empty for none."""
        self.ports: list[int] = []
        """Ports for clients."""
        self.own_address = ("127.0.0.1", 0)
        """Address for the programs that the server starts, without TLS."""
        self.web_ports: list[int] = []
        """Ports for web pages."""
        self._connected: dict[Player, None] = {}
        self.recent: deque[Match] = deque(maxlen=RECENT_MATCHES)
        """The latest finished matches."""
        self.last_finished: Match | None = None
        """The last match that has ended, perhaps under an earlier server; for pages."""
        self.lobby = matchmaking.Matchmaking()
        self.opponent_notices = OpponentNotices(self.presence)
        """Notices for players in the lobby who seek a named opponent."""
        self.contest_players = contest_players
        self.accept_status = AcceptStatus()
        self.record_store = record_store
        self.sent_logs = SentLogs(settings.data)
        self._replaying = trio.Lock()
        self.run_in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync
        """Runs a slow function in another thread."""
        self.prepared_boards: deque[tuple[str, str]] = deque(maxlen=MAX_BOARDS)
        """Game and parameters of the boards that were prepared most recently."""
        self.poller = Poller()
        self.flags = FlagTimer(clock)
        self.arrival = clock
        """Returns the arrival stamp of bytes that were just received."""
        self.stalls = StallLog()
        self.stats = ServerStats()
        self._match_context = MatchContext(
            clock,
            self.flags,
            self.poller,
            self.record_end,
            self.annul_faulty,
            self.stalls,
            self.stats.moves.add,
            settings.delay_moves,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read connections, let flags fall and send notices in the background of a ``with`` block."""
        async with self.poller.running(), trio.open_nursery() as nursery:
            nursery.start_soon(self.flags.run, self.matches.values)
            nursery.start_soon(self.opponent_notices.run)
            yield
            nursery.cancel_scope.cancel()

    def connect(self, player: Player) -> None:
        """Add a session whose connection was accepted."""
        self._connected[player] = None

    def connected_sessions(self) -> list[Player]:
        """Return all sessions, including guests."""
        return list(self._connected)

    def stop(self) -> None:
        """Cancel all seeks, and start no more matches."""
        self.stopping = True
        for player in [*(self.sessions[key] for key in self.seeking_keys()), *self.contest_players.close()]:
            self.opponent_notices.remove(player)
            player.reply(m.Cancelled())
        self.lobby = matchmaking.Matchmaking()

    def disconnect(self, player: Player) -> None:
        """Remove a session whose connection is closed; its seat in a running match is kept."""
        self._connected.pop(player, None)
        self.leave_log(player)
        if self.sessions.get(player.key) is player:
            del self.sessions[player.key]
            self.cancel_seek(player)
        self.contest_players.remove(player)
        match = player.match
        player.match = None
        if match is None:
            return
        if player.side is None:
            match.watchers.pop(player, None)
        elif match.players[player.side] is player:
            self._guard(match, match.disconnect, player.side)

    def handle_session_fault(self, player: Player, error: Exception) -> bool:
        """Annul the match of a session whose request failed through a fault of the server.

        Return whether the session played a match: then the session itself can go on.
        """
        self.contest_players.failed(player)
        if player.match is None or player.side is None:
            log.error("request_failed", player=player.name, exc_info=error)
            return False
        self.annul_faulty(player.match, error, player.name)
        return True

    def end_crashed(
        self, number: int, side: int, sentence: str, termination: Termination = Termination.CRASHED
    ) -> None:
        """End a match whose program on a side exited or exceeded a limit, as ``termination`` says."""
        if (match := self.matches.get(number)) is not None:
            self._guard(match, match.end_crashed, side, sentence, termination)

    def _guard(self, match: Match, action: Callable[..., None], *arguments: Any) -> None:
        """Carry out an action on a match, and annul the match if the action fails."""
        try:
            action(*arguments)
        except Exception as error:
            self.annul_faulty(match, error)

    def annul_faulty(self, match: Match, error: Exception, player: str = "") -> None:
        """Annul a match after a fault; raises nothing. ``player`` is the name whose request failed."""
        match.fault_cause = server_fault(error)
        log.error(
            "match_annulled", match=match.number, **({"player": player} if player else {}), **_fault_fields(error)
        )
        try:
            sentence = f"a fault of the server's own: {match.fault_cause or type(error).__name__}"
            self.annul(match, Termination.SERVER_FAULT, sentence)
        except Exception as another:
            log.error("match_fault_handler_failed", match=match.number, exc_info=another)

    def annul(self, match: Match, termination: Termination, sentence: str) -> None:
        """End a match without a result, in any state."""
        try:
            match.annul(termination, sentence)
        except Exception as error:
            log.error("match_annulment_failed", match=match.number, **_fault_fields(error))
            match.abandon(termination, sentence)

    def annul_running(self, number: int, sentence: str) -> None:
        """End a running match for an organiser; raises `ProtocolError` where there is none."""
        if (match := self.matches.get(number)) is None:
            raise m.ProtocolError(m.Code.UNKNOWN_MATCH, f"match {number} is not running; see LIST")
        self.annul(match, Termination.ORGANISER, _add_sentence("the organiser has annulled the match", sentence))

    def dismiss(self, name: str, sentence: str) -> str:
        """Close the session of a player for an organiser; return its name.

        Raises `ProtocolError` where nobody is logged in so, but a program of a contest.
        """
        # some letters outside of ASCII have lower-case letters inside of it
        if (dismissed := self.sessions.get(name.lower() if re.fullmatch(NAME_PATTERN, name) else "")) is None:
            raise m.ProtocolError(m.Code.UNKNOWN_PLAYER, f"nobody is logged in as {name!r}")
        dismissed.close("dismissed", _add_sentence("the organiser has disconnected you", sentence))
        self.disconnect(dismissed)
        return dismissed.name

    async def announce(self, sentence: m.Text) -> None:
        """Send an announcement to everybody who is connected and does not play, some at a time.

        Programs of contests do not get it: each is there for one game.
        """
        for number, player in enumerate(self.connected_sessions()):
            if player.state not in IN_MATCH and player.state is not SessionState.CLOSED and not player.seat_token:
                player.reply(m.Announcement(sentence))
            if number % SENT_AT_ONCE == 0:
                await trio.lowlevel.checkpoint()

    def seeking_keys(self) -> Iterator[str]:
        """Return the session keys of seeking players."""
        return (seek.key for seek in self.lobby)

    def cancel_seek(self, player: Player) -> None:
        """Remove the seek of a player, if there is one."""
        self.opponent_notices.remove(player)
        self.lobby.remove(player.key)

    def presence(self, name: str) -> tuple[str, int]:
        """Return the presence of a player for AWAITED, and the number of the match that it plays, or 0.

        ``name`` is in lower case; the name of a kind of built-in bots stands for any of them.
        """
        keys = [name, *(key for key, kind in self.builtin_kinds.items() if kind == name and key != name)]
        states = [self.sessions[key].state for key in keys if key in self.sessions]
        if SessionState.SEEKING in states:
            return "seeking", 0
        if any(state not in IN_MATCH for state in states):
            return "here", 0
        playing = [self.sessions[key].match if key in self.sessions else self.find_vacant_seat(key)[0] for key in keys]
        match = next((match for match in playing if match is not None), None)
        return ("absent", 0) if match is None else ("playing", match.number)

    def token_of(self, key: str) -> str | None:
        """Return the hash of the token that the player of a name, in lower case, logs in by; None: nobody needs one.

        Empty where nobody can log in by that name.
        """
        if (tokens := self.settings.tokens) is not None and key in tokens:
            return tokens[key]
        known = self.account_token(key)
        return "" if known is None and tokens is not None else known

    def knows(self, name: str) -> bool:
        """Tell whether a name belongs to somebody: who is logged in, may log in by a token, or is a built-in bot."""
        key = name.lower()
        return (
            key in self.sessions
            or key in self.builtin_tokens
            or key in self.builtin_kinds.values()
            or bool(self.contest_players.token_of(key) or self.token_of(key))
        )

    def free_name(self, name: str) -> str:
        """Return a name with the first number behind it that makes it a name of nobody."""
        for number in count(2):
            free = f"{name[: MAX_NAME_CHARACTERS - 1 - len(str(number))]}-{number}"
            if not self.knows(free) and self.find_vacant_seat(free.lower())[0] is None:
                return free
        raise AssertionError

    def unknown_opponent(self, player: Player, name: str) -> str:
        """Say who is here where nobody has the name of an opponent; empty where it is known."""
        if self.knows(name) or self.find_vacant_seat(name.lower())[0] is not None:
            return ""
        here = sorted(one.name for key, one in self.sessions.items() if one is not player and key == one.name.lower())
        shown = ", ".join(here[:MAX_SHOWN_PLAYERS]) + (", …" if len(here) > MAX_SHOWN_PLAYERS else "")
        meant = nearest(name, (*here, *self.builtin_kinds.values()))
        hint = f"; is {meant} meant?" if meant else ""
        return f"nobody is called {name} so far; here {'is' if len(here) == 1 else 'are'} {shown or 'no others'}{hint}"

    def find_vacant_seat(self, key: str) -> tuple[Match | None, int]:
        """Return the match and the side where a player has a seat but no connection."""
        for match in self.matches.values():
            for side in (0, 1):
                if match.names[side] == key and match.players[side] is None:
                    return match, side
        return None, 0

    def log_in(self, player: Player, name: str, key: str) -> None:
        """Log a session in under a name, and send WELCOME."""
        player.name, player.key = name, key
        self.sessions[key] = player
        player.reply(m.Welcome(name))

    def refuse(self, player: Player, refusal: str) -> None:
        """Tell the author of a player of a line that was refused: in the log, and in the result of a loss on time."""
        match = player.match if player.side is not None else None
        if match is not None and player.side is not None:
            match.refuse(player.side, without_folders(refusal))
        number = player.last_match if match is None else match.number
        if not self.contest_players.refused(player, refusal) and number:
            self.sent_logs.add(number, player.name, partial(self.awaited_ply, number), log_line_of(refusal))

    def leave_log(self, player: Player) -> None:
        """Accept no more lines of a player for the log of its last match."""
        if player.last_match:
            self.sent_logs.close(player.last_match, player.name)
            player.last_match = 0

    def find_match(self, number: int) -> Match | None:
        """Return a running or recently finished match."""
        if number in self.matches:
            return self.matches[number]
        return next((match for match in self.recent if match.number == number), None)

    async def read_past_match(self, number: int) -> referee.MatchState | None:
        """Return the final state of a match that ended under an earlier server; None if it has no valid record.

        Replaying a record takes up to a third of a second: threads do it, one record at a time. Raises OSError.
        """
        async with self._replaying:
            text = await self.run_in_thread(self.record_store.read, number)
            summary = None if text is None else await self.run_in_thread(finished_match, text)
            return None if summary is None else summary.state

    async def read_last_match(self) -> None:
        """Read the last match of the server before this one, for pages. Raises OSError."""
        number = self.record_store.last_ended
        state = None if number is None else await self.read_past_match(number)
        if state is not None and self.last_finished is None:
            journal = MatchJournal(self.record_store, state.header.match, -1, 0)
            self.last_finished = Match(state, Keys("", ""), journal, self._match_context, state.sent)

    async def prepare_board(self, game: str, parameters: str) -> None:
        """Make the tables of the rules of a board in a thread, unless it is prepared."""
        if (game, parameters) not in self.prepared_boards:
            await self.run_in_thread(prepare, game, parameters)
            self.prepared_boards.append((game, parameters))

    def awaited_ply(self, number: int) -> int:
        """Return the number of the move that a match waits for, from 1; 0 before its first turn."""
        match = self.find_match(number)
        return 0 if match is None else match.awaited_ply

    def begin_paired_match(self, pairing: matchmaking.Pairing) -> None:
        """Start the match of a pairing; raises OSError as `begin_match`."""
        game, settings = GAMES[pairing.first.game], self.settings
        position = game.start(game.default_parameters if pairing.parameters is None else pairing.parameters)
        sessions = [self.sessions[seek.key] for seek in pairing]
        number, control = self.record_store.numbers.next(), pairing.control(settings.control)
        self.begin_match(number, position, sessions, control, settings.move_limit, live_notes=settings.live_notes)

    def begin_match(
        self,
        number: int,
        position: Position,
        players: Sequence[Player],
        control: TimeControl,
        move_limit: int,
        *,
        live_notes: bool = False,
    ) -> Match:
        """Start a match between two logged-in, idle players; raises OSError if its record cannot be created.

        Its spectators see the notes of both players during the match if there are ``live_notes``.
        """
        names = (players[0].name, players[1].name)
        header = Header(
            number, position, names, control, move_limit, self.server, now_text(), self.settings.lag_allowance
        )
        tokens = (secrets.token_hex(16), secrets.token_hex(16))
        keys = Keys.of(*tokens)
        journal = self.record_store.begin(number, keys, header.text())
        match = None
        try:
            match = Match(referee.begin(header), keys, journal, self._match_context._replace(live_notes=live_notes))
            match.names = (players[0].key, players[1].key)
            match.announce(players, tokens)
        except Exception:
            journal.discard()
            if match is not None:
                match.suspend()
            raise
        self.matches[match.number] = match
        for side, session in enumerate(players):
            self.opponent_notices.remove(session)
            session.match, session.side = match, side
        return match

    def resume_match(
        self, state: referee.MatchState, keys: Keys, journal: MatchJournal, heard: tuple[bool, bool]
    ) -> None:
        """Resume a match that was running when the last server died, and wait for its players.

        ``heard`` tells which side is known to have received MATCH: only the names of these are reserved. Its spectators
        see notes when it is over, whatever the organiser has set.
        """
        match = Match(state, keys, journal, self._match_context, state.sent)
        match.informed = list(heard)
        self.matches[match.number] = match

    def offer_seekers(self, names: Iterable[str]) -> None:
        """Offer named players from the lobby to a contest that was just opened."""
        for name in names:
            if (seek := self.lobby.seek_of(name.lower())) is None:
                continue
            try:
                wanted = self.contest_players.offers(self.sessions[seek.key], seek)
            except m.ProtocolError:  # the contest does not play that game
                continue
            if wanted:
                self.lobby.remove(seek.key)

    def suspend(self, match: Match) -> None:
        """Suspend a running match, for the next server to resume."""
        players = [self.sessions[key] for key in match.names if key in self.sessions]
        players = [player for player in players if player.match is match and player.side is not None]
        match.suspend()
        for player in players:
            player.close("suspended", f"the server stops; come back to match {match.number} when it is there again")
        self.matches.pop(match.number, None)
        for name in match.header.players:
            self.sent_logs.close(match.number, name)
        self.stats.results[SUSPENDED] += 1

    def is_idle(self, player: Player) -> bool:
        """Tell whether a player is connected and in no match."""
        return player in self._connected and player.match is None

    def record_end(self, match: Match) -> None:
        """Note that a match has ended."""
        self.matches.pop(match.number, None)
        for name, key in zip(match.header.players, match.names, strict=True):
            player = self.sessions.get(key)
            self.sent_logs.close(match.number, name, goes_on=player is not None)
            if player is not None:
                self.leave_log(player)
                player.last_match = match.number
        self.recent.append(match)
        self.last_finished = match
        header, outcome, clock = match.header, match.state.outcome, match.state.clock
        assert outcome is not None
        self.stats.results[str(outcome.reason)] += 1
        if outcome.reason == Termination.TIME:
            self.stats.lateness.add(-min(clock.left))
        log.info(
            "match_ended",
            number=match.number,
            game=header.position.game.name,
            parameters=header.position.parameters,
            players=header.players,
            result=outcome.result(match.state.sides),
            reason=str(outcome.reason),
            detail=outcome.detail,
            plies=match.state.history.plies,
            left_ms=tuple(map(milliseconds, clock.left)),
            control_ms=header.control.milliseconds,
            started=header.started,
            seconds=round(match.now() / 1_000_000, 3),
        )
        self.contest_players.ended(match)


def _add_sentence(sentence: str, more: str) -> str:
    return f"{sentence}: {more}" if more else sentence


def _fault_fields(error: Exception) -> dict[str, Any]:
    """Return log fields for a fault: a reason if the machine lacks something, else a traceback."""
    reason = server_fault(error)
    error.__suppress_context__ = True  # its cause is logged already
    return {"reason": reason} if reason else {"exc_info": error}
