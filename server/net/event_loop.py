"""Clock and instruments of the event loop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import trio

CHECK_SECONDS = 5.0
"""Time between two checks that instruments are still installed."""


def microseconds() -> int:
    """Return the time of trio's monotonic clock in microseconds; tests replace that clock."""
    return int(trio.current_time() * 1_000_000)


def loop_clock() -> Callable[[], int]:
    """Return a function that tells the same, for who asks often: the clock of the event loop is looked up once."""
    now = trio.lowlevel.current_clock().current_time
    return lambda: int(now() * 1_000_000)


@contextmanager
def instrumented(*instruments: trio.abc.Instrument) -> Iterator[None]:
    """Install instruments for a ``with`` block; they are called in this order."""
    for instrument in instruments:
        trio.lowlevel.add_instrument(instrument)
    try:
        yield
    finally:
        for instrument in instruments:
            with suppress(KeyError):  # trio has dropped it
                trio.lowlevel.remove_instrument(instrument)


class Counting(Protocol):
    """An instrument that counts the passes of the event loop."""

    @property
    def passes(self) -> int:
        """Return the number of passes of the event loop."""


class InstrumentDropped(Exception):
    """Trio has removed an instrument that raised an error."""


async def check_instruments(*instruments: Counting) -> None:
    """Check at intervals that instruments are still called; raises `InstrumentDropped` if one is not."""
    while True:
        before = [instrument.passes for instrument in instruments]
        await trio.sleep(CHECK_SECONDS)
        for instrument, passes in zip(instruments, before, strict=True):
            if instrument.passes == passes:
                raise InstrumentDropped(
                    f"{type(instrument).__name__} does not see the event loop any more; the log says why"
                )
