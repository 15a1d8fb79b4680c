"""A watchdog over calls of a bot: reports the stack of a method that has used up the clock, and ends it."""

import ctypes
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import dropwhile, takewhile
from types import CodeType, TracebackType
from typing import Self

from bots.client.errors import is_authors, place_of

LOOK_SECONDS = 0.1
"""Time between two looks at the clock: a contest ends a program half a second after its game."""

END_SECONDS = 2.0
"""Time in which an interrupted method has to end. Compiled code may not: then the process ends."""


class Interrupted(Exception):
    """The watchdog has ended a method of the bot."""


class Watchdog:
    """A thread that watches the thread in which it was made; a context."""

    def __init__(self, entry: CodeType, overdue: Callable[[str, str], None], is_over: Callable[[], bool]) -> None:
        """Take the function that calls the bot, and two functions that the thread of the watchdog calls.

        ``overdue`` is called once for each call that has used up its time. Its arguments are a sentence with the
        method, its time and where it stands, and the stack of the bot as text. From then on, ``is_over`` tells whether
        to interrupt the method.
        """
        self.lock = threading.Lock()
        """Held during both functions; the watched thread goes on when they have returned."""
        self._entry = entry
        self._overdue = overdue
        self._is_over = is_over
        self._watched = threading.get_ident()
        self._name, self._milliseconds, self._deadline = "", math.inf, math.inf
        self._is_reported = False
        self._ends_at = math.inf
        """Time at which an interrupted method has to have ended."""
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
        """Watch a method that has a number of milliseconds; raises `Interrupted`."""
        self._name, self._milliseconds = name, milliseconds
        self._is_reported, self._ends_at = False, math.inf
        self._deadline = time.monotonic() + milliseconds / 1000
        try:
            try:
                yield
            finally:
                with self.lock:  # waits for the end of a report
                    self._deadline = math.inf
        except KeyboardInterrupt:
            if self._ends_at == math.inf:
                raise
            raise Interrupted from None

    def _look(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            with self.lock:
                now = time.monotonic()
                if now < self._deadline:
                    continue
                if not self._is_reported:
                    self._report()
                elif self._ends_at == math.inf and self._is_over():
                    self._ends_at = now + END_SECONDS
                    interrupt(self._watched)
                elif now >= self._ends_at:
                    print(f"{self._name} does not end: this process ends", file=sys.stderr, flush=True)
                    os._exit(1)

    def _report(self) -> None:
        if stack := stack_of(self._watched, self._entry):
            self._is_reported = True
            had = f"{self._name} has not returned in the {self._milliseconds:.0f} ms that it had"
            lines = ("Stack (most recent call last):\n", *stack.format())
            self._overdue(f"{had}, and stands in {place_of(stack)}", "".join(lines))


def interrupt(thread: int) -> None:
    """Raise KeyboardInterrupt in a thread, in the main thread as Ctrl-C does: also where it waits."""
    if thread != threading.main_thread().ident or not callable(signal.getsignal(signal.SIGINT)):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
    elif hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # Windows wakes the main thread, whichever thread has raised the signal
        signal.raise_signal(signal.SIGINT)


def stack_of(thread: int, entry: CodeType) -> traceback.StackSummary:
    """Return the stack of a thread below a function, from the author's own first line on; empty outside of it."""
    frame = sys._current_frames().get(thread)
    frames = [] if frame is None else list(traceback.walk_stack(frame))
    below = list(takewhile(lambda pair: pair[0].f_code is not entry, frames))
    if len(below) == len(frames):
        return traceback.StackSummary.from_list([])
    stack = traceback.StackSummary.extract(iter(reversed(below)))
    own = list(dropwhile(lambda line: not is_authors(line.filename), stack))
    return traceback.StackSummary.from_list(own or stack)
