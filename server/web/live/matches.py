"""Running matches in JSON for browsers that watch them: all positions at first, and then each change.

Every position is encoded once, beside the event loop. A few moves are drawn in a thread; many, which would keep the
lock of the interpreter from the loop, by a process.
"""

from collections.abc import Awaitable, Callable
from functools import reduce
from typing import TypeAlias

import msgspec
import trio

from engine.games.interface import Position, play
from server.match.match import Match
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.web.live.event_stream import Broadcaster, Channel, Mailbox, framed
from server.web.views.match_frames import Frame, Played, changes, frame_of, now_of

KEPT_MATCHES = 64
"""Matches whose positions are kept, the last ones that somebody has looked at."""

AT_A_TIME = 20
"""Most positions that a thread makes: a few milliseconds' work."""

Told: TypeAlias = Callable[[bytes], Awaitable[bytes]]
"""Asks a process for the positions of a match: a `Played` in JSON is answered by a list in JSON."""


class MatchFrames:
    """The positions of one match, as far as they were asked for."""

    def __init__(self, start: Position) -> None:
        """Begin with the first position."""
        self._start = self._position = start
        self._frame: Frame | None = None
        self._told: list[msgspec.Raw] = []
        self._lock = trio.Lock()

    async def up_to(self, moves: tuple[str, ...], position: Position, tell: Told) -> list[msgspec.Raw]:
        """Return the first position as a frame, and as changes those after each of these moves, which lead to another.

        The moves begin with those of the last call. Raises what ``tell`` raises.
        """
        async with self._lock:
            missing = len(moves) + 1 - len(self._told)
            if missing > AT_A_TIME:
                played = Played(game=self._start.game.name, start=self._start.text(), moves=moves)
                told = await tell(msgspec.json.encode(played))
                self._told = await trio.to_thread.run_sync(_split, told)
                self._position, self._frame = position, None
            elif missing > 0:
                await trio.to_thread.run_sync(self._extend, moves)
        return self._told[: len(moves) + 1]

    def _extend(self, moves: tuple[str, ...]) -> None:
        done = max(0, len(self._told) - 1)
        last = self._frame or frame_of(done, self._position)
        if not self._told:
            self._told.append(msgspec.Raw(msgspec.json.encode(last)))
        self._told += [msgspec.Raw(msgspec.json.encode(one)) for one in changes(last, self._position, moves[done:])]
        self._position = reduce(play, moves[done:], self._position)
        self._frame = frame_of(len(moves), self._position)


def _split(told: bytes) -> list[msgspec.Raw]:
    return [raw.copy() for raw in decode(told, type=list[msgspec.Raw])]


STEPS = 200
"""Most moves in an event: a page to which more are new asks for the match anew, which is told beside the loop."""

KEPT = 256
"""Matches whose last position is kept as it is drawn, the last ones that somebody has looked at."""

SETTLING = 5
"""How often browsers are told again of a move after which no clock runs yet."""


class MatchHub:
    """The channel of a match: a spectator of it while browsers watch, which reads what it sends from the match."""

    def __init__(self, match: Match, broadcaster: Broadcaster, frames: LruCache[int, Frame]) -> None:
        """Take a match, running or over; ``frames`` are the last positions of matches, each drawn once."""
        self._frames = frames
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
        frame = self._frames.get(match.number)
        if frame is None or frame.ply != self._plies or (frame.motion is None and self._before is not None):
            frame = self._frames.put(match.number, frame_of(self._plies, self._position, self._before, move))
        return framed(
            msgspec.json.encode(now_of(state, frame, first, match.now(), away(match), len(match.public_notes)))
        )


class MatchHubs:
    """The hubs of all matches that browsers watch."""

    def __init__(self, broadcaster: Broadcaster) -> None:
        """Begin with none."""
        self._broadcaster = broadcaster
        self._matches: dict[int, MatchHub] = {}
        self._frames: LruCache[int, Frame] = LruCache(KEPT)

    async def watch(self, match: Match, mailbox: Mailbox) -> None:
        """Send a browser the events of a match until it is gone."""
        hub = self._matches.get(match.number) or MatchHub(match, self._broadcaster, self._frames)
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
