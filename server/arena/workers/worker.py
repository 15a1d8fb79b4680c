"""A worker process: hosts the matches that the server gives it. ``python -m server.arena.workers.worker DESCRIPTOR``.

It has players' sockets for as long as their matches last, and appends to the journals. It syncs nothing, and moves no
record: the server does. It ends with the server, however that ends.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import structlog
import trio

from engine import record
from engine.record import Header
from engine.wire import messages as m
from engine.wire.codes import Code
from server.arena.acceptor import Acceptor
from server.arena.arena import Arena
from server.arena.matchmaking import Seek
from server.arena.roles import NewMatch, Player
from server.arena.session import Session
from server.arena.workers import messages as w
from server.config.process_settings import leave_signals_to_server, prepare_server
from server.config.settings import Settings
from server.match.flag_timer import FlagTimer
from server.match.match import Match
from server.match.remote_match import Change, change_since
from server.net.connection import Connection
from server.net.event_loop import check_instruments, instrumented, loop_clock, microseconds
from server.net.lending.process_channel import ProcessChannel
from server.net.lending.visitor import Visitor
from server.net.rate_limiter import RateLimiter
from server.net.send_queue import SendQueue
from server.net.stall_monitor import StallMonitor
from server.net.web_socket import WebSocketConnection
from server.ops.logs import configure
from server.storage.disk import Disk
from server.storage.player_logs import KeptByContest
from server.storage.record_store import Keys, MatchJournal, RecordStore
from server.storage.unsynced import DataFolders

log = structlog.get_logger()

REPORT_SECONDS = 0.25
"""How often the server is told how matches stand that nobody watches."""

MOVES_A_CHANGE, NOTES_A_CHANGE = 500, 16
"""Most that is told in one message: both together stay within its length."""


class Journals:
    """The server's journals, as far as a worker has to do with them."""

    def __init__(self, data: Path) -> None:
        """Take the data directory."""
        self.disk = Disk()
        self.written: set[int] = set()
        self.finished: set[int] = set()
        """Matches whose journals have their ends, since the server was told last."""
        self._folders = DataFolders(data)

    def finish(self, match: int) -> None:
        """Note that the journal of a match has its end."""
        self.finished.add(match)

    def forget(self, match: int) -> None:
        """Leave the keys to the server."""

    def running(self, match: int) -> Path:
        """Return the path of the journal of a running match."""
        return self._folders.journal(match)


class NoContests:
    """Contests as a worker sees them: there are none. See `server.arena.roles.Seating`."""

    def __init__(self) -> None:
        """Begin without anybody to tell of ends of matches."""
        self.tell_ended: Callable[[Match], None] = lambda match: None

    def seat_of(self, name: str, token: str) -> str | None:
        """Return None: no program of a contest logs in."""
        return None

    def key_of(self, token: str) -> str:
        """Return nothing."""
        return ""

    def token_of(self, key: str) -> str:
        """Return nothing."""
        return ""

    def find_kept(self, match: int, name: str) -> KeptByContest | None:
        """Return None."""
        return None

    def entered(self, player: Player, token: str) -> None:
        """Do nothing."""

    def failed(self, player: Player) -> None:
        """Do nothing."""

    def offers(self, player: Player, seek: Seek | None, *, rated: bool = False) -> bool:
        """Return False."""
        return False

    def why_unrated(self, name: str) -> str:
        """Return nothing: nobody seeks here."""
        return ""

    def refused(self, token: str, sentence: str) -> None:
        """Do nothing."""

    def remove(self, player: Player) -> None:
        """Do nothing."""

    def ended(self, match: Match) -> None:
        """Tell who hosts matches here."""
        self.tell_ended(match)

    def keeps(self, match: int) -> bool:
        """Return False."""
        return False

    def close(self) -> list[Player]:
        """Return nobody."""
        return []


class Observer:
    """A spectator of a match, for the server: notes what has changed, and tells it."""

    def __init__(self, host: "Host", match: Match) -> None:
        """Take the match."""
        self._host, self.match = host, match
        self._moves = self._notes = 0
        self.followed = False
        """Whether changes are told at once."""

    def tell(self, _kind: type, _data: bytes) -> None:
        """Note that the match has changed."""
        self._host.changed(self)

    def leave(self) -> None:
        """Do nothing: the end is told by `Host.ended`."""

    def changes(self) -> Iterator[Change]:
        """Yield what the server has not been told yet, in pieces that are not too long."""
        match = self.match
        state, notes = match.public, match.public_notes
        while True:
            moves, noted = self._moves, self._notes
            self._moves = min(len(state.shown), moves + MOVES_A_CHANGE)
            self._notes = min(len(notes), noted + NOTES_A_CHANGE)
            last = self._moves == len(state.shown) and self._notes == len(notes)
            part = state._replace(shown=state.shown[: self._moves], outcome=state.outcome if last else None)
            yield change_since(part, notes[: self._notes], match.now(), moves, noted)
            if last:
                return


class Host:
    """Hosts matches for the server."""

    def __init__(
        self, channel: ProcessChannel, arena: Arena, contests: NoContests, journals: Journals, limits: RateLimiter
    ) -> None:
        """Take the way to the server, and an arena without a listener."""
        self._channel, self._arena, self._journals, self._limits = channel, arena, journals, limits
        self._watch = StallMonitor(microseconds, arena.stalls)
        self._observers: dict[int, Observer] = {}
        self._changed: dict[Observer, None] = {}
        self._at_once: list[Observer] = []
        self._visitors: dict[int, Session] = {}
        self._moves_told = [0] * len(arena.stats.moves.counts)
        self._sum_told = self._stalls_told = self._stalled_told = 0
        contests.tell_ended = self.ended

    @property
    def watch(self) -> StallMonitor:
        """Return the stall monitor of this process."""
        return self._watch

    def carry_out(self, nursery: trio.Nursery, order: w.Order, descriptors: list[int]) -> None:
        """Do what the server asks for; the descriptors are this process's to close."""
        if isinstance(order, w.Begin):
            self._begin(nursery, order, descriptors)
        elif isinstance(order, w.Resume):
            self._resume(nursery, order, descriptors[0])
        elif isinstance(order, w.Close):
            if order.number in self._visitors:
                self._visitors[order.number].close(order.reason, order.sentence)
        elif isinstance(order, w.Annul):
            match = self._arena.own_match(order.match)
            if match is not None:
                self._arena.annul(match, order.termination, order.sentence)
        elif isinstance(order, w.Tell):
            for observer in list(self._changed):
                self._tell_changes(observer)
            self._tell(w.Told())
        elif isinstance(order, w.Share):
            for address, connections in order.connections.items():
                self._limits.share(address, connections)
        elif isinstance(order, w.EndCrashed):
            self._arena.end_crashed(order.match, order.side, order.sentence, order.termination)
        elif isinstance(order, w.Follow) and order.match in self._observers:
            observer = self._observers[order.match]
            observer.followed = True
            self._changed[observer] = None
            self._tell_changes(observer)

    def _begin(self, nursery: trio.Nursery, order: w.Begin, descriptors: list[int]) -> None:
        """Begin a match; where that fails, its players are told, and go back."""
        *sockets, file = descriptors
        journal = MatchJournal(self._journals, order.match, file, len(order.head.encode()))
        players = [
            self._enter(number, visitor, socket)
            for (number, visitor), socket in zip(order.visitors, sockets, strict=True)
        ]
        try:
            new = NewMatch(_header(order), Keys(*order.keys), order.tokens, journal, order.live_notes)
            match = self._arena.announce_match(new, players)
        except Exception as error:
            log.error("match_start_failed", match=order.match, exc_info=error)
            for player in players:
                player.reply(m.Cancelled())
                player.reply(m.Error(Code.SERVER_FAULT, m.Text("the server cannot begin this match now")))
            self._tell(w.Over(order.match, False, "", (False, False)))
        else:
            observer = self._observers[order.match] = Observer(self, match)
            match.watchers[observer] = None
        for (number, _), player in zip(order.visitors, players, strict=True):
            nursery.start_soon(self._serve, number, player)

    def _resume(self, nursery: trio.Nursery, order: w.Resume, socket: int) -> None:
        """Seat a player who has come back; one whose match is over goes back at once."""
        match = self._arena.own_match(order.match)
        if match is None:
            os.close(socket)
            self._tell(w.Refused(order.number, order.token, order.visitor))
            return
        for session in self._visitors.values():
            if session.match is match and session.side == order.side:
                session.close("resumed", "the match was resumed over another connection")
                session.match = None  # the new connection takes the seat over
        player = self._enter(order.number, order.visitor, socket)
        player.match, player.side = match, order.side
        try:
            match.resume(order.side, player, order.token)
        except Exception as error:
            self._arena.handle_session_fault(player, error)
        nursery.start_soon(self._serve, order.number, player)

    def _enter(self, number: int, visitor: Visitor, descriptor: int) -> Session:
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(socket.socket(fileno=descriptor)))
        quota = self._limits.take_in(visitor.host, visitor.connections, limited=visitor.limited)
        session = Session(self._arena, self._connection(stream, visitor), quota)
        session.arrive(visitor)
        self._visitors[number] = session
        return session

    def _connection(self, stream: trio.SocketStream, visitor: Visitor) -> Connection:
        if visitor.frames is not None:
            return WebSocketConnection(stream, self._arena.send_queue)
        return Connection(stream, self._arena.send_queue, self._arena.poller)

    async def _serve(self, number: int, session: Session) -> None:
        """Serve a visitor until its match is over, or its connection closed; tell the server which."""
        try:
            returned = await session.serve_visit(self._watch)
        finally:
            del self._visitors[number]
            self._limits.leave(session.quota)
            self._tell(w.Left(number) if returned is None else w.Returned(number, returned))

    def changed(self, observer: Observer) -> None:
        """Note that a match has changed since the server was told of it."""
        if observer not in self._changed:
            self._changed[observer] = None
            if observer.followed:
                if not self._at_once:
                    self._arena.send_queue.then(self._tell_at_once, _log_fault)
                self._at_once.append(observer)

    def _tell_at_once(self) -> None:
        observers, self._at_once = self._at_once, []
        for observer in observers:
            self._tell_changes(observer)

    def _tell_changes(self, observer: Observer) -> None:
        if self._changed.pop(observer, observer) is None:
            for change in observer.changes():
                self._tell(w.Changed(observer.match.number, change))

    def ended(self, match: Match) -> None:
        """Tell the server that a match is over."""
        observer = self._observers.pop(match.number)
        self._changed[observer] = None
        self._tell_changes(observer)
        recorded = match.number in self._journals.finished
        self._journals.finished.discard(match.number)
        self._journals.written.discard(match.number)
        self._tell(w.Over(match.number, recorded, match.fault_cause, match.disconnected_at_end))

    async def report(self) -> None:
        """Tell the server at intervals what has changed, until cancelled."""
        while True:
            await trio.sleep(REPORT_SECONDS)
            for observer in list(self._changed):
                self._tell_changes(observer)
            written, moves = tuple(self._journals.written), self._arena.stats.moves
            self._journals.written.clear()
            counts = tuple(now - told for now, told in zip(moves.counts, self._moves_told, strict=True))
            stalls, stalled = self._arena.stalls.count, self._arena.stalls.total
            self._tell(
                w.Report(
                    written,
                    counts,
                    moves.sum - self._sum_told,
                    stalls - self._stalls_told,
                    stalled - self._stalled_told,
                    self._limits.spent(),
                )
            )
            self._moves_told, self._sum_told = list(moves.counts), moves.sum
            self._stalls_told, self._stalled_told = stalls, stalled

    def _tell(self, news: w.News) -> None:
        self._channel.send(w.encode(news))


def _header(order: w.Begin) -> Header:
    return record.verify(order.head).header


def _log_fault(error: Exception) -> None:
    log.error("worker_report_failed", exc_info=error)


async def host(end: socket.socket) -> None:
    """Host matches until the server closes its end of the channel, or ends."""
    channel = ProcessChannel(end)
    data, descriptors = await channel.receive()
    setup = w.decode_order(data)
    assert isinstance(setup, w.Setup) and len(descriptors) == 1  # the lock stays open until this process ends
    configure(verbose=setup.verbose, json=setup.json)
    settings = Settings(data=Path(setup.data), limits=w.limits_of(setup), delay_moves=setup.delay_moves)
    clock, send_queue, contests = loop_clock(), SendQueue(), NoContests()
    flags = FlagTimer(clock, send_queue.soon)
    store = RecordStore(settings.data, tidy=False)
    arena = Arena(settings, store, flags, send_queue, clock, setup.server, contests)
    limits = RateLimiter(settings.limits, settings.most_sessions, clock)
    hosting = Host(channel, arena, contests, Journals(settings.data), limits)
    with instrumented(send_queue, hosting.watch):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(flags.run)
            nursery.start_soon(send_queue.run)
            nursery.start_soon(arena.poller.run)
            nursery.start_soon(check_instruments, send_queue, hosting.watch)
            nursery.start_soon(hosting.watch.pulse, lambda: bool(arena.matches))
            nursery.start_soon(Acceptor(arena, hosting.watch, limits).patrol)
            nursery.start_soon(channel.run)
            nursery.start_soon(hosting.report)
            while True:
                data, descriptors = await channel.receive()
                if not data:
                    os._exit(0)  # the server is gone: nobody may be told anything more
                order = w.decode_order(data)
                if isinstance(order, w.Begin):
                    await _prepare(arena, _header(order))
                hosting.carry_out(nursery, order, descriptors)


async def _prepare(arena: Arena, header: Header) -> None:
    """Make the tables of the board of a match, which may take too long for the event loop."""
    board = header.position.game.name, header.position.parameters
    if not arena.prepared_boards.has(*board):
        await arena.prepared_boards.add(*board, trio.to_thread.run_sync)


def main() -> None:
    """Host matches for the server whose channel has the descriptor of the command line."""
    leave_signals_to_server()
    prepare_server()
    trio.run(partial(host, socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
