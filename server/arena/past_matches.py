"""Replays matches that ended under an earlier server, in a worker process (`server.ops.workers.question_loop`).

To replay a record takes up to a third of a second. Another process does it, one record at a time.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec
import trio

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.messages import KINDS
from server.match import referee
from server.match.match_messages import Seat, announcement
from server.match.recovery import finished
from server.ops.workers.question_loop import OK, answer_questions
from server.ops.workers.worker_process import FAULTS, ask_once

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

    async def match(self, number: int, read: Callable[[], Awaitable[str | None]]) -> Retold | None:
        """Return a match by its record; None where there is no record, or it is not true.

        ``read`` returns the record's text, wherever the record is by then: it moves when it has been synced. What a
        record has come to is kept. Raises `NotReplayed`, and OSError where the record cannot be read or no process can
        be started: neither is kept, or says anything about the match.
        """
        async with self._one_at_a_time:
            if number not in self._known:
                text = await read()
                if text is None:
                    return None
                self._known[number] = await replayed(text)
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
            return self._known[number]


class NotReplayed(Exception):
    """A process has not replayed a record; ``str(error)`` is the last that it said."""


async def replayed(text: str) -> Retold | None:
    """Let another process replay a record. Raises `NotReplayed`, and OSError where it cannot be started."""
    try:
        _, answer = await ask_once("server.arena.past_matches", "replay", text.encode())
    except FAULTS as error:
        raise NotReplayed(str(error)) from None
    return msgspec.json.decode(answer, type=Retold | None)


def retold(text: str) -> Retold | None:
    """Return the match of a complete record; None where that is not true."""
    state = finished(text)
    if state is None:
        return None
    first, second = (encode(announcement(state.header, side, "")).decode().rstrip("\n") + " " for side in (0, 1))
    shown = [(KINDS[type(message)], encode(message).decode()) for message in referee.story(state, 0)]
    return Retold(state.header.players, (first, second), tuple(shown))


if __name__ == "__main__":
    answer_questions(lambda question: (OK, msgspec.json.encode(retold(question.body.decode()))))
