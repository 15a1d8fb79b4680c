"""Matches that ended under an earlier server, for those who come back: ``python -m server.arena.past_matches RECORD``.

To replay a record takes up to a third of a second. Another process does it, one record at a time.
"""

import sys
from collections import OrderedDict
from pathlib import Path

import msgspec
import structlog
import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.messages import KINDS
from server.match import referee
from server.match.match_messages import Seat, announcement
from server.match.recovery import finished

log = structlog.get_logger()

KEPT = 16
"""Matches that are kept when they were replayed: a record has at most a megabyte."""


class Retold(msgspec.Struct, frozen=True):
    """A match that is over."""

    players: tuple[str, str]
    announcements: tuple[str, str]
    """The MATCH of each side, without its token."""
    story: tuple[tuple[str, str], ...]
    """Kind and text of all that was shown, in order."""

    def tell(self, seat: Seat, side: int, token: str) -> None:
        """Tell a player who comes back all of it."""
        seat.tell(m.Match, f"{self.announcements[side]}{token}\n".encode())
        for kind, text in self.story:
            seat.tell(m.REPLIES[kind], text.encode())
        seat.leave()


class PastMatches:
    """Replays records beside the event loop."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: OrderedDict[int, Retold | None] = OrderedDict()
        self._one_at_a_time = trio.Lock()

    async def match(self, number: int, path: Path) -> Retold | None:
        """Return a match by its record; None where that cannot be replayed, or is not true.

        Raises OSError where no process can be started. What a record has come to is kept, and a failure is not: it may
        have moved meanwhile.
        """
        async with self._one_at_a_time:
            if number not in self._known:
                try:
                    self._known[number] = await replayed(path)
                except NotReplayed as error:
                    log.error("a record cannot be replayed", record=str(path), error=str(error))
                    return None
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
            return self._known[number]


class NotReplayed(Exception):
    """A process has not replayed a record; ``str(error)`` is the last that it said."""


async def replayed(path: Path) -> Retold | None:
    """Let another process replay a record. Raises `NotReplayed`, and OSError where it cannot be started."""
    command = [sys.executable, "-P", "-m", "server.arena.past_matches", str(path)]
    done = await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
    if done.returncode:
        raise NotReplayed(done.stderr.decode(errors="replace")[-500:])
    return msgspec.json.decode(done.stdout, type=Retold | None)


def retold(text: str) -> Retold | None:
    """Return the match of a complete record; None where that is not true."""
    state = finished(text)
    if state is None:
        return None
    first, second = (encode(announcement(state.header, side, "")).decode().rstrip("\n") + " " for side in (0, 1))
    shown = [(KINDS[type(message)], encode(message).decode()) for message in referee.story(state, 0)]
    return Retold(state.header.players, (first, second), tuple(shown))


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(retold(Path(sys.argv[1]).read_text(encoding="utf-8"))))
