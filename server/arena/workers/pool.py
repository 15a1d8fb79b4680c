"""The processes that host matches, as the server sees them: it starts them, and gives them matches of the lobby.

The server keeps the sockets of players open, but does not read them while a process has them. When a process dies,
these connections are closed, and its matches are taken up here from their journals, as after a crash of the whole
server: the players come back by RESUME. Another process takes its place.
"""

import subprocess
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple

import structlog
import trio

from engine.games.outcome import Termination
from engine.record import RecordedNote
from server.arena.arena import Arena
from server.arena.resume import resume_match
from server.arena.roles import NewMatch, Player
from server.arena.workers import messages as w
from server.match import recovery
from server.match.match_messages import PlayersSeat
from server.match.referee import State
from server.match.remote_match import Change, Ended, RemoteMatch, change_since
from server.net.lending.process_channel import ProcessChannel, channel_pair
from server.net.lending.visitor import Visitor
from server.net.rate_limiter import RateLimiter
from server.ops.backoff import pause_seconds
from server.ops.workers.worker_process import command_of
from server.storage.record_store import RecordStore

log = structlog.get_logger()

MODULE = "server.arena.workers.worker"

SILENT_SECONDS = 5.0
"""A process that reports nothing for this long, twice in a row, is stuck, and is killed."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.1, 60.0
"""Pauses before a process is started again that has died."""

STEADY_SECONDS = 60.0
"""A process that has lived for this long counts as sound."""

REFRESH_SECONDS = 1.0
"""Longest time that who asks for matches waits for the processes that host them."""

END_SECONDS = 2.0
"""What processes get to end when the server stops; then they are killed."""


class Lent(NamedTuple):
    """A session that has lent its connection."""

    player: Player
    match: RemoteMatch
    side: int


class Visit(NamedTuple):
    """The other end of a connection that was lent."""

    worker: "Worker"
    number: int

    def close(self, reason: str, sentence: str) -> None:
        """Let the process send BYE and close the connection."""
        self.worker.order(w.Close(self.number, reason, sentence))


class Worker:
    """One process, and the matches that it hosts."""

    def __init__(self, pool: "Pool", channel: ProcessChannel) -> None:
        """Take the way to a process."""
        self._pool, self._channel = pool, channel
        self.matches: dict[int, RemoteMatch] = {}
        self.lent: dict[int, Lent] = {}
        """Sessions by numbers that the process knows them by."""
        self.dead = False
        self._asked: deque[trio.Event] = deque()

    async def tell(self) -> None:
        """Wait until the process has told what has happened by now, or is dead."""
        told = trio.Event()
        self._asked.append(told)
        self.order(w.Tell())
        await told.wait()

    def told(self) -> None:
        """Note that the process has told that."""
        self._asked.popleft().set()

    def die(self) -> None:
        """Note that the process is dead."""
        self.dead = True
        while self._asked:
            self.told()

    def order(self, order: w.Order, descriptors: Sequence[int] = ()) -> None:
        """Tell the process what to do."""
        self._channel.send(w.encode(order), descriptors)

    def lend(self, player: Player, match: RemoteMatch, side: int) -> tuple[int, int, Visitor]:
        """Lend the connection of a player; return its number, its descriptor and what goes with it."""
        number = self._pool.next_visit()
        socket, visitor = player.lend(Visit(self, number))
        self.lent[number] = Lent(player, match, side)
        match.players[side] = player
        return number, socket, visitor

    def annul(self, match: int, termination: Termination, sentence: str) -> None:
        """End a match without a result."""
        self.order(w.Annul(match, termination, sentence))

    def end_crashed(self, match: int, side: int, sentence: str, termination: Termination) -> None:
        """End a match whose program on a side exited or exceeded a limit."""
        self.order(w.EndCrashed(match, side, sentence, termination))

    def follow(self, match: int) -> None:
        """Tell changes of a match at once from now on."""
        self.order(w.Follow(match))

    def resume(self, match: int, side: int, seat: PlayersSeat, token: str) -> None:
        """Lend the connection of a player who resumes a match."""
        remote = self.matches[match]
        player = self._pool.player_of(remote.names[side])
        if self.dead or not player.can_be_lent:
            remote.players[side] = player.match = None
            player.close("suspended", f"match {match} moves to another process; come back to it in a moment")
            return
        number, socket, visitor = self.lend(player, remote, side)
        self.order(w.Resume(match, side, token, number, visitor), (socket,))


class Pool:
    """The processes that host matches: `server.arena.roles.Workers`."""

    def __init__(
        self, arena: Arena, record_store: RecordStore, limits: RateLimiter, lock: int, clock: Callable[[], int]
    ) -> None:
        """Start without processes. ``lock`` is the descriptor of the lock of the data directory."""
        self._arena, self._record_store, self._limits = arena, record_store, limits
        self._lock, self._clock = lock, clock
        self._workers: list[Worker] = []
        self._visits = 0
        self.processes: list[int] = []
        """Their process numbers."""

    def begin(self, new: NewMatch, players: Sequence[Player]) -> RemoteMatch | None:
        """Let the process with the fewest matches begin one, where both connections can be lent."""
        if not self._workers or not all(player.can_be_lent for player in players):
            return None
        worker = min(self._workers, key=lambda worker: len(worker.matches))
        match = RemoteMatch(new.header, new.keys, worker, self._clock)
        worker.matches[match.number] = match
        (one, first, visitor), (two, second, other) = (
            worker.lend(player, match, side) for side, player in enumerate(players)
        )
        file, _ = new.journal.file
        visitors = (one, visitor), (two, other)
        worker.order(
            w.Begin(
                match.number,
                new.header.text(),
                (new.keys.first, new.keys.second),
                new.tokens,
                visitors,
                new.live_notes,
            ),
            (first, second, file),
        )
        with suppress(OSError):
            new.journal.close()  # the process has a descriptor of its own
        return match

    def next_visit(self) -> int:
        """Return a number for a connection that is lent."""
        self._visits += 1
        return self._visits

    def player_of(self, key: str) -> Player:
        """Return the session with a key."""
        return self._arena.sessions[key]

    @property
    def busy(self) -> bool:
        """Tell whether a process has a connection."""
        return any(worker.lent for worker in self._workers)

    @property
    def hosts(self) -> bool:
        """Tell whether a process hosts a match."""
        return any(worker.matches for worker in self._workers)

    async def refresh(self) -> None:
        """Wait until the processes have told what has happened by now; for a moment only if one does not answer."""
        with trio.move_on_after(REFRESH_SECONDS):
            async with trio.open_nursery() as nursery:
                for worker in self._workers:
                    if worker.matches:
                        nursery.start_soon(worker.tell)

    async def keep(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep a process running, until cancelled; started when it is there for the first time."""
        deaths = 0
        while True:
            began = trio.current_time()
            try:
                await self._run(task_status if not deaths else trio.TASK_STATUS_IGNORED)
            except OSError as error:
                log.error("worker_start_failed", error=str(error))
                if not deaths:
                    task_status.started()
            deaths = 1 if trio.current_time() > began + STEADY_SECONDS else deaths + 1
            await trio.sleep(pause_seconds(deaths, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))

    async def _run(self, task_status: trio.TaskStatus[None]) -> None:
        """Run a process until it has died, and take up its matches."""
        async with _process() as (process, channel), trio.open_nursery() as nursery:
            nursery.start_soon(channel.run)
            worker = Worker(self, channel)
            worker.order(w.setup_of(self._arena.settings, self._arena.server), (self._lock,))
            await self._hear(worker, channel)  # its first report: from now on it is quick
            self._workers.append(worker)
            self.processes.append(process.pid)
            log.info("worker_started", process=process.pid)
            task_status.started()
            try:
                while await self._hear(worker, channel):
                    pass
            finally:
                self._workers.remove(worker)
                self.processes.remove(process.pid)
            process.kill()
            worker.die()
            log.error("worker_died", process=process.pid, matches=len(worker.matches))
            await self._take_up(worker)
            nursery.cancel_scope.cancel()

    async def _hear(self, worker: Worker, channel: ProcessChannel) -> bool:
        """Take a message of a process; return False if it is gone, or is stuck."""
        for _ in range(2):  # the first silence may be that of the whole machine
            with trio.move_on_after(SILENT_SECONDS):
                data, _ = await channel.receive()
                if data:
                    try:
                        self._take(worker, w.decode_news(data))
                    except Exception as error:  # of one match: the others go on
                        log.error("worker_news_failed", exc_info=error)
                return bool(data)
        return False

    def _take(self, worker: Worker, news: w.News) -> None:
        if isinstance(news, w.Changed):
            worker.matches[news.match].apply(news.change)
        elif isinstance(news, w.Report):
            self._record_store.written.update(match for match in news.written if match in worker.matches)
            self._arena.stats.moves.add_all(news.moves, news.moves_sum)
            self._arena.stalls.count += news.stalls
            self._arena.stalls.total += news.stalled
            if news.spent:
                worker.order(w.Share({key: self._limits.charge(key, spent) for key, spent in news.spent.items()}))
        elif isinstance(news, w.Over):
            self._end(worker, news)
        elif isinstance(news, w.Told):
            worker.told()
        elif isinstance(news, w.Left):
            worker.lent.pop(news.number).player.drop()
        elif isinstance(news, w.Returned):
            worker.lent.pop(news.number).player.take_back(news.visitor)
        else:
            player, match, side = worker.lent.pop(news.number)
            player.take_back(news.visitor)
            match.resume(side, player, news.token)

    def _end(self, worker: Worker, news: w.Over) -> None:
        """Note the end of a match, and let the record be put away."""
        match = worker.matches.pop(news.match)
        match.fault_cause, match.disconnected_at_end = news.fault_cause, news.disconnected
        match.players = [None, None]
        if not match.over:  # it could not even be begun
            match.apply(_fault(match, "the match could not be begun"))
        if news.recorded:
            self._record_store.written.add(match.number)
            try:
                self._record_store.finish(match.number)
            except OSError as error:
                log.error("record_write_deferred", match=match.number, error=str(error))
        else:
            self._record_store.forget(match.number)
        self._arena.record_end(match)

    async def _take_up(self, worker: Worker) -> None:
        """Take up the matches of a process that has died."""
        for player, _, _ in worker.lent.values():
            self._arena.disconnect(player)
            player.drop()
        for match in worker.matches.values():
            self._arena.forget_remote(match)
            resume_match(self._arena, self._record_store, match.number, datetime.now(UTC))
            self._hand_over(match)
            await trio.lowlevel.checkpoint()

    def _hand_over(self, match: RemoteMatch) -> None:
        """Let the spectators of a match go on with the one that was taken up, or tell them the end."""
        here = self._arena.own_match(match.number)
        if here is not None:
            match.apply(_news(match, here.public, here.public_notes, here.now()))
            match.successor = here
            for player in self._arena.connected_sessions():
                if player.match is match:
                    player.match = here
            here.watchers.update(match.watchers)
            return
        text = self._record_store.read(match.number)
        state = None if text is None else recovery.read_finished_match(text)
        if state is None:
            match.apply(_fault(match, "the process that hosted the match has died"))
        else:
            match.apply(_news(match, state, state.notes, 0))
        self._arena.stats.started += 1
        self._arena.record_end(match)


def _news(match: RemoteMatch, state: State, notes: Sequence[RecordedNote], elapsed: int) -> Change:
    """Return what is not known yet of a match in another state of it."""
    return change_since(state, notes, elapsed, len(match.summary.shown), len(match.summary.notes))


def _fault(match: RemoteMatch, sentence: str) -> Change:
    """Return the end of a match of which no record is to be had."""
    seen = match.summary
    return Change(match.now(), seen.ready, seen.clock, (), (), Ended(None, str(Termination.SERVER_FAULT), sentence))


@asynccontextmanager
async def _process() -> AsyncIterator[tuple[trio.Process, ProcessChannel]]:
    """Start a process; when the block is left, it is told to end, and killed where it does not."""
    ours, theirs = channel_pair()
    with theirs:
        command = command_of(MODULE, str(theirs.fileno()))
        process = await trio.lowlevel.open_process(command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),))
    channel = ProcessChannel(ours)
    try:
        yield process, channel
    finally:
        channel.close()
        with trio.move_on_after(END_SECONDS, shield=True):
            await process.wait()
        process.kill()
        with trio.move_on_after(END_SECONDS, shield=True):
            await process.wait()
