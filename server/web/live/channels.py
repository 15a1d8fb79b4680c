"""The channels that browsers listen to: one for each watched match, one for the lobby, and those of contests."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
import structlog
import trio

from engine.games.interface import Position
from server.arena.arena import Arena
from server.match.match import Match
from server.ops.lru_cache import LruCache
from server.web.http.errors import Refused
from server.web.live.contest_channel import ContestHubs
from server.web.live.event_stream import Broadcaster, Channel, Mailbox
from server.web.replay.match_frames import Frame, frame_of, now_of
from server.web.views.contests import Entry, ReportIndex
from server.web.views.lobby import BOARDS, Boards, Listed, newest, overview

log = structlog.get_logger()

CONTESTS = 3
"""Contests that stand in the lobby."""

STEPS = 200
"""Most moves in an event: a page to which more are new asks for the match anew, which is told beside the loop."""

KEPT = 256
"""Matches whose last position is kept as it is drawn, the last ones that somebody has looked at."""

SETTLING = 5
"""How often browsers are told again of a move after which no clock runs yet."""

AGAIN_SECONDS = 10.0
"""Pause after results of earlier servers could not be read."""

ReadNewest: TypeAlias = Callable[[], Awaitable[tuple[Listed, ...]]]
"""Reads the last games of earlier servers; raises `Refused`."""

LOBBY_SECONDS = 1.0
"""How often the lobby is looked at."""


class Drawn:
    """The last positions of matches as pages draw them, each drawn once, however many browsers come and go."""

    def __init__(self) -> None:
        """Begin with none."""
        self._frames: LruCache[int, Frame] = LruCache(KEPT)

    def of(self, match: int, ply: int, position: Position, before: Position | None, move: str) -> Frame:
        """Return the position of a match after so many plies, with the move that led to it where one is given."""
        frame = self._frames.get(match)
        if frame is None or frame.ply != ply or (frame.motion is None and before is not None):
            frame = self._frames.put(match, frame_of(ply, position, before, move))
        return frame


class MatchHub:
    """The channel of a match: a spectator of it while browsers watch, which reads what it sends from the match."""

    def __init__(self, match: Match, broadcaster: Broadcaster, drawn: Drawn) -> None:
        """Take a match, running or over."""
        self._drawn = drawn
        self.match = match
        self.channel = Channel(broadcaster, self)
        self._told = 0
        self._settling = 0
        self._before: Position | None = None
        self._position = match.header.position
        self._plies = 0

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the events of the match until it is gone."""
        if self.match.state.outcome is None:
            self.match.follow(self)  # unlike by `watch`: what is sent is read from the match
        try:
            await self.channel.listen(mailbox)
        finally:
            if not self.channel.listeners:
                self.match.watchers.pop(self, None)

    def tell(self, _kind: type, _data: bytes) -> None:
        """Note that something has happened, which every browser is sent soon."""
        self._follow()
        self.channel.changed()

    def leave(self) -> None:
        """Note that the match is over."""
        self._follow()
        self.channel.changed()

    def event(self) -> bytes:
        """Return the moves since the last event, the last STEPS of them, and how the match stands."""
        self._follow()
        first, self._told = self._told, self._plies
        if self._stands() and self._settling < SETTLING:
            self._settling += 1
            self.channel.changed()
        return self._tell(first)

    def _stands(self) -> bool:
        """Tell whether no clock runs in the middle of a game: TURN is on its way, and nobody tells when it went."""
        state = self.match.state
        return state is self.match.public and state.playing and state.clock.since == (None, None)

    def snapshot(self) -> bytes:
        """Return the last STEPS moves, and how the match stands."""
        self._follow()
        return self._tell(0)

    def _follow(self) -> None:
        """Take note of the position that spectators see, and of the one before it."""
        history = self.match.public.history
        if history.plies != self._plies:
            self._before = self._position if history.plies == self._plies + 1 else None
            self._position, self._plies = history.position, history.plies
            self._settling = 0

    def _tell(self, first: int) -> bytes:
        match, state = self.match, self.match.public
        first = max(first, self._plies - STEPS)
        move = "" if self._before is None else state.history.moves[-1]
        frame = self._drawn.of(match.number, self._plies, self._position, self._before, move)
        return msgspec.json.encode(now_of(state, frame, first, match.now(), away(match), len(match.public_notes)))


class LobbyHub:
    """The channel of the lobby: it looks at the arena every second while browsers listen."""

    def __init__(self, arena: Arena, broadcaster: Broadcaster, read_newest: ReadNewest) -> None:
        """Take the arena, and the function that reads the last games of earlier servers."""
        self._read_newest = read_newest
        self._wanted = trio.Event()
        self.channel = Channel(broadcaster, self)
        self._arena = arena
        self.reports = ReportIndex(arena.settings.data)
        self._contests: tuple[Entry, ...] = ()
        self._earlier: tuple[Listed, ...] | None = None
        """Results of earlier servers, the newest first; None as long as they are not read."""
        self._boards = Boards()
        self._now = b""
        self._made = -LOBBY_SECONDS
        self._last = b""

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the lobby until it is gone."""
        self._wanted.set()
        await self._look()
        await self._draw()
        await self.channel.listen(mailbox)

    async def run(self) -> None:
        """Look at the arena every second, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_earlier)
            nursery.start_soon(self._follow_contests)
            while True:
                await trio.sleep(LOBBY_SECONDS)
                if self.channel.listeners:
                    await self._draw()
                self.channel.changed()

    async def _read_earlier(self) -> None:
        """Read the results of earlier servers when somebody first looks; try again where that fails."""
        await self._wanted.wait()
        while self._earlier is None:
            try:
                self._earlier = await self._read_newest()
            except Refused as error:
                log.warning("past_results_read_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)

    async def _draw(self) -> None:
        """Draw the boards that are shown, and let others get their turn after each: a large one takes a millisecond."""
        for match in newest(self._arena, BOARDS):
            self._boards.draw(match)
            await trio.lowlevel.checkpoint()

    async def _follow_contests(self) -> None:
        while True:
            await trio.sleep(LOBBY_SECONDS)
            if self.channel.listeners:
                await self._look()

    async def _look(self) -> None:
        """Read the progress of contests: those that are running, then the last ones."""
        try:
            found = await self.reports.entries()
        except OSError as error:
            log.warning("contests_read_failed", error=repr(str(error)))
            return
        self._contests = tuple(sorted(found, key=lambda entry: entry.closed is not None)[:CONTESTS])

    def event(self) -> bytes | None:
        """Return the lobby, where it has changed."""
        last, self._last = self._last, self._look_round()
        return None if last == self._last else self._last

    def snapshot(self) -> bytes:
        """Return the lobby as it was a second ago at most: whoever comes again and again does not have it made anew."""
        return self._now if trio.current_time() < self._made + LOBBY_SECONDS else self._look_round()

    def _look_round(self) -> bytes:
        now = trio.current_time()
        seen = overview(self._arena, self._earlier, self._contests, self._boards, now)
        self._now, self._made = msgspec.json.encode(seen), now
        return self._now


class Hubs:
    """The hubs of all matches and contests that browsers watch, and that of the lobby."""

    def __init__(self, arena: Arena, broadcaster: Broadcaster, read_newest: ReadNewest) -> None:
        """Begin with the lobby alone."""
        self.lobby = LobbyHub(arena, broadcaster, read_newest)
        self.contests = ContestHubs(arena, broadcaster, self.lobby.reports)
        self._broadcaster = broadcaster
        self._matches: dict[int, MatchHub] = {}
        self._drawn = Drawn()

    async def watch(self, match: Match, mailbox: Mailbox) -> None:
        """Send a browser the events of a match until it is gone."""
        hub = self._matches.get(match.number) or MatchHub(match, self._broadcaster, self._drawn)
        self._matches[match.number] = hub
        try:
            await hub.listen(mailbox)
        finally:
            if not hub.channel.listeners:
                self._matches.pop(match.number, None)


def away(match: Match) -> tuple[bool, bool]:
    """Tell which player of a running match has lost the connection."""
    running = match.state.outcome is None
    return running and match.players[0] is None, running and match.players[1] is None
