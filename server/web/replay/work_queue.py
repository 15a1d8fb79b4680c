"""Turns at what takes long: some at a time, and one of them always left for others than whoever asks for most."""

from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

import trio

PAID_OFF = 0.1
"""Seconds of turns that are forgotten of a guest each second: who has had ten stands behind others for 100."""


class Full(Exception):
    """Too many wait already."""


class WorkQueue:
    """Gives turns first to guests that have fewer, then to those that had less time, then to those that wait for fewer.

    Among equals they are given in the order in which they are asked for.
    """

    def __init__(self, at_a_time: int, waiting: int, waiting_of_one: int) -> None:
        """Give out ``at_a_time`` turns, at least 2, of one guest all but one; bound those that wait for theirs."""
        self._at_a_time = at_a_time
        self._most, self._most_of_one = waiting, waiting_of_one
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[trio.Event, Hashable] = {}
        self._paid: dict[Hashable, float] = {}
        """For each guest that has had turns of late, when they will have been forgotten."""

    @asynccontextmanager
    async def of(self, guest: Hashable) -> AsyncIterator[None]:
        """Wait for a turn of a guest, and have it; raises `Full`."""
        waiting = list(self._waiting.values())
        if len(waiting) >= self._most or waiting.count(guest) >= self._most_of_one:
            raise Full
        mine = trio.Event()
        self._waiting[mine] = guest
        self._give()
        began = trio.current_time()
        try:
            await mine.wait()
            began = trio.current_time()
            yield
        finally:
            if self._waiting.pop(mine, None) is None:  # else it went away while it waited
                self._running[guest] -= 1
                self._running += Counter()  # forget who has none
                self._charge(guest, began, trio.current_time())
            self._give()

    def _charge(self, guest: Hashable, began: float, now: float) -> None:
        self._paid = {one: until for one, until in self._paid.items() if until > now}
        self._paid[guest] = max(now, self._paid.get(guest, now)) + (now - began) / PAID_OFF

    def _give(self) -> None:
        now = trio.current_time()
        while self._running.total() < self._at_a_time:
            fit = [turn for turn, guest in self._waiting.items() if self._running[guest] < self._at_a_time - 1]
            if not fit:
                return
            wanted = Counter(self._waiting.values())

            def rank(turn: trio.Event, wanted: Counter[Hashable] = wanted) -> tuple[int, float, int]:
                guest = self._waiting[turn]
                return self._running[guest], max(now, self._paid.get(guest, now)), wanted[guest]

            turn = min(fit, key=rank)
            self._running[self._waiting.pop(turn)] += 1
            turn.set()
