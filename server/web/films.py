"""Every position of a match that the server knows, encoded once, in a thread beside the event loop."""

import msgspec
import trio

from engine.game import Position
from server.match import Match
from server.web.stories import frame_of, frames

KEPT = 64
"""Matches whose positions are kept, the last ones that somebody has looked at."""

AT_A_TIME = 100
"""Positions that a thread makes before it gives the lock of the interpreter a chance to serve others' requests."""


class Film:
    """The frames of one match, as far as they were asked for."""

    def __init__(self, start: Position) -> None:
        """Begin with the first position."""
        self._position = start
        self._frames = [msgspec.Raw(msgspec.json.encode(frame_of(0, start)))]
        self._lock = trio.Lock()

    async def up_to(self, moves: tuple[str, ...]) -> list[msgspec.Raw]:
        """Return the first position and that after each of these moves, which begin with those of the last call."""
        async with self._lock:
            while len(self._frames) <= len(moves):
                done = len(self._frames) - 1
                await trio.to_thread.run_sync(self._extend, moves[done : done + AT_A_TIME])
        return self._frames[: len(moves) + 1]

    def _extend(self, moves: tuple[str, ...]) -> None:
        for position, frame in list(frames(self._position, moves, len(self._frames) - 1))[1:]:
            self._position = position
            self._frames.append(msgspec.Raw(msgspec.json.encode(frame)))


class Films:
    """The films that were looked at last."""

    def __init__(self) -> None:
        """Begin empty."""
        self._films: dict[int, Film] = {}

    def of(self, match: Match) -> Film:
        """Return the film of a match."""
        film = self._films.pop(match.number, None) or Film(match.header.position)
        self._films[match.number] = film
        while len(self._films) > KEPT:
            del self._films[next(iter(self._films))]
        return film
