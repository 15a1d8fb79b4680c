"""A queue of long tasks that is fair between clients: some run at a time, and one place is always left for others."""

from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

import trio

PAID_OFF = 0.1
"""Seconds of turns that are forgotten of a client each second: who has had ten stands behind others for 100."""


class Full(Exception):
    """Too many tasks wait already."""


class WorkQueue:
    """Gives turns to the client that has the fewest; then to that which had least time, or waits for fewest.

    Among equals they are given in the order in which they are asked for.
    """

    def __init__(self, at_a_time: int, waiting: int, waiting_of_one: int) -> None:
        """Give out ``at_a_time`` turns, of one client all but one of several; bound those that wait for theirs."""
        self._at_a_time, self._at_a_time_of_one = at_a_time, max(1, at_a_time - 1)
        self._most, self._most_of_one = waiting, waiting_of_one
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[trio.Event, Hashable] = {}
        self._paid: dict[Hashable, float] = {}
        """For each client that has had turns of late, when they will have been forgotten."""

    @asynccontextmanager
    async def of(self, client: Hashable) -> AsyncIterator[None]:
        """Wait for a turn of a client, and have it; raises `Full`."""
        waiting = list(self._waiting.values())
        if len(waiting) >= self._most or waiting.count(client) >= self._most_of_one:
            raise Full
        mine = trio.Event()
        self._waiting[mine] = client
        self._give()
        began = trio.current_time()
        try:
            await mine.wait()
            began = trio.current_time()
            yield
        finally:
            if self._waiting.pop(mine, None) is None:  # else it went away while it waited
                self._running[client] -= 1
                self._running += Counter()  # forget who has none
                self._charge(client, began, trio.current_time())
            self._give()

    def _charge(self, client: Hashable, began: float, now: float) -> None:
        self._paid = {one: until for one, until in self._paid.items() if until > now}
        self._paid[client] = max(now, self._paid.get(client, now)) + (now - began) / PAID_OFF

    def _give(self) -> None:
        now = trio.current_time()
        while self._running.total() < self._at_a_time:
            fit = [turn for turn, client in self._waiting.items() if self._running[client] < self._at_a_time_of_one]
            if not fit:
                return
            wanted = Counter(self._waiting.values())

            def rank(turn: trio.Event, wanted: Counter[Hashable] = wanted) -> tuple[int, float, int]:
                client = self._waiting[turn]
                return self._running[client], max(now, self._paid.get(client, now)), wanted[client]

            turn = min(fit, key=rank)
            self._running[self._waiting.pop(turn)] += 1
            turn.set()
