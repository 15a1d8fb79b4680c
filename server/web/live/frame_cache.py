"""Every position of a match that the server plays, encoded once, beside the event loop.

A few moves are drawn in a thread; many, which would keep the lock of the interpreter from the loop, by a process.
"""

from collections.abc import Awaitable, Callable
from functools import reduce
from typing import TypeAlias

import msgspec
import trio

from engine.games.interface import Position, play
from server.ops.lru_cache import LruCache
from server.ops.typed_json import decode
from server.web.replay.match_frames import Frame, Played, changes, frame_of

KEPT = 64
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


class FrameCache:
    """The positions of the matches that were looked at last."""

    def __init__(self) -> None:
        """Begin empty."""
        self._cache: LruCache[int, MatchFrames] = LruCache(KEPT)

    def of(self, match: int, start: Position) -> MatchFrames:
        """Return the positions of a match, which begins in a given one."""
        return self._cache.get(match) or self._cache.put(match, MatchFrames(start))


def _split(told: bytes) -> list[msgspec.Raw]:
    return [raw.copy() for raw in decode(told, type=list[msgspec.Raw])]
