"""Keeps services running beside the matches: whatever a service raises is logged, and the service begins again."""

from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import structlog
import trio

from server.ops.faults import pause_seconds, server_fault

log = structlog.get_logger()

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 60.0
"""Pause before a service begins again: doubled by each failure, forgotten after a run that is longer than the most."""

ArgumentsT = TypeVarTuple("ArgumentsT")


async def supervise(name: str, service: Callable[[*ArgumentsT], Awaitable[None]], *arguments: *ArgumentsT) -> None:
    """Run a service until it returns or is cancelled. Raises no `Exception`."""
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
            await trio.sleep(pause_seconds(failures, FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS))
