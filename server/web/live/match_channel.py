"""The channels of matches: what browsers that watch a match are sent, in JSON."""

import msgspec

from engine.games.interface import Position
from server.match.match import Match
from server.ops.lru_cache import LruCache
from server.web.live.event_stream import Broadcaster, Channel, Mailbox, framed
from server.web.replay.match_frames import Frame, frame_of, now_of

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
