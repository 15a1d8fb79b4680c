"""Turns at what takes long: some at a time, and one of them always left for others than whoever asks for most."""

from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

import trio


class Full(Exception):
    """Too many wait already."""


class Turns:
    """Gives turns in the order in which they are asked for, but first to guests that have, and wait for, fewer."""

    def __init__(self, at_a_time: int, waiting: int, waiting_of_one: int) -> None:
        """Give out ``at_a_time`` turns, at least 2, of one guest all but one; bound those that wait for theirs."""
        self._at_a_time = at_a_time
        self._most, self._most_of_one = waiting, waiting_of_one
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[trio.Event, Hashable] = {}

    @asynccontextmanager
    async def of(self, guest: Hashable) -> AsyncIterator[None]:
        """Wait for a turn of a guest, and have it; raises `Full`."""
        waiting = list(self._waiting.values())
        if len(waiting) >= self._most or waiting.count(guest) >= self._most_of_one:
            raise Full
        mine = trio.Event()
        self._waiting[mine] = guest
        self._give()
        try:
            await mine.wait()
            yield
        finally:
            if self._waiting.pop(mine, None) is None:  # else it went away while it waited
                self._running[guest] -= 1
                self._running += Counter()  # forget who has none
            self._give()

    def _give(self) -> None:
        while self._running.total() < self._at_a_time:
            fit = [turn for turn, guest in self._waiting.items() if self._running[guest] < self._at_a_time - 1]
            if not fit:
                return
            wanted = Counter(self._waiting.values())
            turn = min(fit, key=lambda turn: (self._running[self._waiting[turn]], wanted[self._waiting[turn]]))
            self._running[self._waiting.pop(turn)] += 1
            turn.set()
