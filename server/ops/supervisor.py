"""Supervisor of services: runs a service again after a failure, with a pause that doubles."""

from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import trio

from server.ops.faults import server_fault
from server.ops.logs import log

MAX_PAUSE_SECONDS = 60.0
"""Longest pause before a retry."""


def pause_seconds(failures: int, first: float = 1.0, most: float = MAX_PAUSE_SECONDS) -> float:
    """Return the pause after so many failures in a row: ``first`` seconds after one, twice as many with each further.

    ``most`` bounds it. May be asked for ever: a night of failures is a thousand of them.
    """
    return min(most, first * 2.0 ** min(failures - 1, 100))


ArgumentsT = TypeVarTuple("ArgumentsT")


async def supervise(name: str, service: Callable[[*ArgumentsT], Awaitable[None]], *arguments: *ArgumentsT) -> None:
    """Run a service until it returns or is cancelled. Raises no `Exception`.

    The pause after a failure doubles with each failure, until a run is longer than the longest pause.
    """
    failures, failed = 0, True
    while failed:
        failed, began = False, trio.current_time()
        try:
            await service(*arguments)
        except* Exception as group:
            failed = True
            failures = failures + 1 if trio.current_time() < began + MAX_PAUSE_SECONDS else 1
            lack = server_fault(group)
            what = {"reason": lack} if lack else {"exc_info": group}
            log.error("service_failed", service=name, failures=failures, **what)
        if failed:
            await trio.sleep(pause_seconds(failures))
