"""A watchdog over calls of a bot: it reports where a method stands that has not returned when the clock is used up."""

import math
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import dropwhile, takewhile
from traceback import StackSummary
from types import CodeType, TracebackType
from typing import Self

from bots.client.errors import is_authors, place_of

LOOK_SECONDS = 0.1
"""Time between two looks at the clock: a contest ends a program half a second after its game."""


class Watchdog:
    """A thread that watches the thread in which it was made; a context."""

    def __init__(self, entry: CodeType, overdue: Callable[[str, str], None]) -> None:
        """Take the function that calls the bot, and a function that is called once for each call that is overdue.

        Its arguments are a sentence with the method, its time and where it stands, and the stack of the bot as text.
        """
        self.lock = threading.Lock()
        """Held during ``overdue``; the watched thread goes on when that has returned."""
        self._entry = entry
        self._overdue = overdue
        self._watched = threading.get_ident()
        self._name, self._milliseconds, self._deadline = "", math.inf, math.inf
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def __enter__(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    @contextmanager
    def watching(self, name: str, milliseconds: float) -> Iterator[None]:
        """Watch a method that has so many milliseconds."""
        self._name, self._milliseconds = name, milliseconds
        self._deadline = time.monotonic() + milliseconds / 1000
        try:
            yield
        finally:
            self._deadline = math.inf
            with self.lock:  # waits for the end of a report
                pass

    def _look(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            with self.lock:
                if time.monotonic() < self._deadline:
                    continue
                self._deadline = math.inf
                if stack := stack_of(self._watched, self._entry):
                    had = f"{self._name} has not returned in the {self._milliseconds:.0f} ms that it had"
                    lines = ("Stack (most recent call last):\n", *stack.format())
                    self._overdue(f"{had}, and stands in {place_of(stack)}", "".join(lines))


def stack_of(thread: int, entry: CodeType) -> StackSummary:
    """Return the stack of a thread below a function, from the author's own first line on; empty outside of it."""
    frame = sys._current_frames().get(thread)
    frames = [] if frame is None else list(traceback.walk_stack(frame))
    below = list(takewhile(lambda pair: pair[0].f_code is not entry, frames))
    if len(below) == len(frames):
        return StackSummary.from_list([])
    stack = StackSummary.extract(iter(reversed(below)))
    own = list(dropwhile(lambda line: not is_authors(line.filename), stack))
    return StackSummary.from_list(own or stack)
