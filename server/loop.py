"""The event loop as the server uses it: its clock, and what looks on while it turns."""

from collections.abc import Iterator
from contextlib import contextmanager

import trio


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
            trio.lowlevel.remove_instrument(instrument)
