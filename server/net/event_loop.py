"""The event loop as the server uses it: its clock, and what looks on while it turns."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import trio

LOOK_SECONDS = 5.0
"""How often it is looked whether instruments still look on."""


def microseconds() -> int:
    """Return the server's monotonic clock: trio's, so that tests can put another one in its place."""
    return int(trio.current_time() * 1_000_000)


@contextmanager
def watched(*instruments: trio.abc.Instrument) -> Iterator[None]:
    """Let instruments look on while the ``with`` lasts; they are asked in this order."""
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
        """Count how often the loop has waited."""


class InstrumentDropped(Exception):
    """Trio has dropped an instrument, because it has raised an error."""


async def keep_watched(*instruments: Counting) -> None:
    """See to it that instruments go on looking, until cancelled; raises `InstrumentDropped` when one does not."""
    while True:
        before = [instrument.passes for instrument in instruments]
        await trio.sleep(LOOK_SECONDS)
        for instrument, passes in zip(instruments, before, strict=True):
            if instrument.passes == passes:
                raise InstrumentDropped(
                    f"{type(instrument).__name__} does not see the event loop any more; the log says why"
                )
