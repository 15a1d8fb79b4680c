"""Time that stands still for the conformance test, and leaps where nothing would happen any more but that it passes.

The rogue bot reports when it rests, when it stalls for good, and how much it has read before it waits for more. So no
test waits in earnest, and none depends on how fast the machine is.
"""

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from bots.check import bot_under_test, conformance_match, situations
from bots.check.bot_under_test import LOOK_SECONDS, BotUnderTest, Disconnected, Peer
from engine.wire.messages import ProtocolError
from tests.waiting import WAIT_SECONDS

LEAP_SECONDS = 1200.0
"""Longer than the conformance test waits for anything."""


class StandingClock:
    """The clock, and what the rogue has reported through a pipe."""

    def __init__(self, path: Path) -> None:
        """Make the pipe."""
        os.mkfifo(path)
        self.pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.stalled = False
        self._now = 1000.0
        self._read: dict[int, int] = {}
        self._said: int = 0
        self._rest = b""

    def monotonic(self) -> float:
        """Return seconds, as `time.monotonic` does; none pass before an answer is looked for."""
        return self._now

    def look(self) -> None:
        """Read what was reported, where an answer is waited for: a quick bot rests before its `TURN` is stamped."""
        with suppress(BlockingIOError):
            while data := os.read(self.pipe, 65536):
                self._rest += data
        *reports, self._rest = self._rest.split(b"\n")
        for report in reports:
            self._take(*report.decode().split())

    def monotonic_ns(self) -> int:
        """Return nanoseconds."""
        return int(self.monotonic() * 1_000_000_000)

    def leap(self, moment: float) -> None:
        """Go on to a moment that is still to come."""
        self._now = max(self._now, moment)

    def waits(self, port: int, sent: int, heard: int) -> bool:
        """Tell whether the bot waits for more than the bytes that were sent to its port, or does nothing any more.

        Not where it has said more than was heard.
        """
        return heard == self._said and (self.stalled or self._read.get(port) == sent)

    def _take(self, what: str, *numbers: str) -> None:
        if what == "starts":
            self.stalled = False
            self._read.clear()
        elif what == "stalls":
            self.stalled = True
            self._said = int(numbers[0])
        elif what == "rests":
            self._now += float(numbers[0])
        else:
            port, read, self._said = map(int, numbers)
            self._read[port] = read


@contextmanager
def stand_still(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Let the conformance test live by such a clock, and the rogue report to it."""
    clock = StandingClock(folder / "reports")
    patch.setenv("ROGUE_REPORTS", str(folder / "reports"))
    stands = SimpleNamespace(monotonic=clock.monotonic, monotonic_ns=clock.monotonic_ns, sleep=time.sleep)
    for module in (situations, bot_under_test, conformance_match):
        patch.setattr(module, "time", stands)

    class StandingPeer(Peer):
        """A connection on which is waited for the bot, or for its report that it waits too."""

        _sent = _heard = 0

        def send(self, data: bytes) -> None:
            super().send(data)
            self._sent += len(data)

        def _line(self, deadline: float) -> str | ProtocolError | None:
            clock.look()
            while not self._lines and clock.monotonic() < deadline:
                try:
                    port = self._connection.getpeername()[1]
                except OSError as error:
                    raise Disconnected from error
                if select.select([self._connection], [], [], 0)[0]:
                    self._receive()
                elif clock.waits(port, self._sent, self._heard):
                    clock.leap(deadline)
                else:
                    ready, _, _ = select.select([self._connection.fileno(), clock.pipe], [], [], WAIT_SECONDS)
                    assert ready, "the bot does nothing, and reports nothing"
                clock.look()
            return self._lines.popleft() if self._lines else None

        def _receive(self) -> None:
            try:
                data = self._connection.recv(4096)
            except OSError as error:
                raise Disconnected from error
            if not data:
                raise Disconnected
            self._heard += len(data)
            self._lines.extend(self._end.receive(data))

    accept_in_earnest = BotUnderTest.accept_connection

    def accept(self: BotUnderTest, seconds: float) -> Peer | None:
        found = accept_in_earnest(self, min(seconds, LOOK_SECONDS))
        clock.look()
        if found is None and clock.stalled:
            clock.leap(clock.monotonic() + LEAP_SECONDS)
        return found

    patch.setattr(bot_under_test, "Peer", StandingPeer)
    patch.setattr(BotUnderTest, "accept_connection", accept)
    yield
    os.close(clock.pipe)
