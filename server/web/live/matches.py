"""Running matches in JSON for browsers that watch them: all positions at first, and then each change.

Every position is encoded once, beside the event loop. A thread draws a few moves. A process draws many moves: they
would keep the lock of the interpreter from the loop.
"""

from collections.abc import Awaitable, Callable
from functools import reduce
from typing import TypeAlias

import msgspec
import trio

from engine.games.interface import Position, play
from server.match.match import Match
from server.ops.typed_json import decode
from server.web.live.event_stream import Broadcaster, Channel, Mailbox, framed
from server.web.views.match_frames import Frame, Played, changes, frame_of, now_of

AT_A_TIME = 20
"""Most positions that a thread makes: a few milliseconds' work."""

AskProcess: TypeAlias = Callable[[bytes], Awaitable[bytes]]
"""Asks a process for the positions of a match: a `Played` in JSON is answered by a list in JSON."""


class MatchFrames:
    """The positions of one match, up to the last one that a browser asked for."""

    def __init__(self, start: Position) -> None:
        """Take the first position."""
        self._start = self._position = start
        self._frames: list[msgspec.Raw] = []
        self._lock = trio.Lock()

    async def up_to(self, moves: tuple[str, ...], position: Position, ask: AskProcess) -> list[msgspec.Raw]:
        """Return the first position as a frame, and the position after each move as a change.

        The moves lead to ``position`` and begin with the moves of the last call. Raises the exceptions of ``ask``.
        """
        async with self._lock:
            missing = len(moves) + 1 - len(self._frames)
            if missing > AT_A_TIME:
                played = Played(game=self._start.game.name, start=self._start.text(), moves=moves)
                answer = await ask(msgspec.json.encode(played))
                self._frames = await trio.to_thread.run_sync(_split, answer)
                self._position = position
            elif missing > 0:
                await trio.to_thread.run_sync(self._extend, moves)
        return self._frames[: len(moves) + 1]

    def _extend(self, moves: tuple[str, ...]) -> None:
        done = max(0, len(self._frames) - 1)
        last = frame_of(done, self._position)
        made = changes(last, self._position, moves[done:])
        new = made if self._frames else (last, *made)
        self._frames += [msgspec.Raw(msgspec.json.encode(frame)) for frame in new]
        self._position = reduce(play, moves[done:], self._position)


def _split(answer: bytes) -> list[msgspec.Raw]:
    return [raw.copy() for raw in decode(answer, type=list[msgspec.Raw])]


MAX_STEPS = 200
"""Most moves in an event. A page that lacks more moves asks for the match anew."""

SETTLING = 5
"""Most events for a move after which no clock runs yet."""


class MatchHub(Channel):
    """The events of a match. While browsers watch, it is a spectator and reads the state of the match."""

    def __init__(self, match: Match, broadcaster: Broadcaster) -> None:
        """Take a match, running or over."""
        super().__init__(broadcaster)
        self.match = match
        self._sent = 0
        self._settling = 0
        self._plies = 0
        self._before: Position | None = None
        self._position = match.header.position
        self._frame: Frame | None = None
        """The last position, if it is drawn."""

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the events of the match until it is gone."""
        if self.match.state.outcome is None:
            self.match.follow(self)  # unlike `watch`, it sends no lines
        try:
            await super().listen(mailbox)
        finally:
            if not self.listeners:
                self.match.watchers.pop(self, None)

    def tell(self, _kind: type, _data: bytes) -> None:
        """Note a message of the match, which every browser is sent soon."""
        self._follow()
        self.changed()

    def leave(self) -> None:
        """Note that the match is over."""
        self._follow()
        self.changed()

    def event(self) -> bytes:
        """Return the moves since the last event, at most the last MAX_STEPS, and the state of the match."""
        told = self._state_from(self._sent)
        self._sent = self._plies
        state = self.match.state
        # no clock runs in the middle of a game: TURN is on its way, and no message says when it was sent
        stands = state is self.match.public and state.playing and state.clock.since == (None, None)
        if stands and self._settling < SETTLING:
            self._settling += 1
            self.changed()
        return told

    def snapshot(self) -> bytes:
        """Return the last MAX_STEPS moves, and the state of the match."""
        return self._state_from(0)

    def _follow(self) -> None:
        """Note the position that spectators see, and the position before it. It is drawn when it is sent."""
        history = self.match.public.history
        if history.plies != self._plies:
            self._before = self._position if history.plies == self._plies + 1 else None
            self._position, self._plies = history.position, history.plies
            self._frame = None
            self._settling = 0

    def _state_from(self, first: int) -> bytes:
        self._follow()
        match, state = self.match, self.match.public
        if self._frame is None:
            move = "" if self._before is None else state.history.moves[-1]
            self._frame = frame_of(self._plies, self._position, self._before, move)
        first = max(first, self._plies - MAX_STEPS)
        now = now_of(state, self._frame, first, match.now(), away(match), len(match.public_notes))
        return framed(msgspec.json.encode(now))


class MatchHubs:
    """The hubs of all matches that browsers watch."""

    def __init__(self, broadcaster: Broadcaster) -> None:
        """Begin with none."""
        self._broadcaster = broadcaster
        self._matches: dict[int, MatchHub] = {}

    async def watch(self, match: Match, mailbox: Mailbox) -> None:
        """Send a browser the events of a match until it is gone."""
        hub = self._matches.get(match.number) or MatchHub(match, self._broadcaster)
        self._matches[match.number] = hub
        try:
            await hub.listen(mailbox)
        finally:
            if not hub.listeners:
                self._matches.pop(match.number, None)


def away(match: Match) -> tuple[bool, bool]:
    """Tell which player of a running match has lost the connection."""
    running = match.state.outcome is None
    return running and match.players[0] is None, running and match.players[1] is None
