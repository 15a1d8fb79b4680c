"""Keeps services running beside the matches."""

from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import trio

from server.ops.faults import MAX_PAUSE_SECONDS, pause_seconds, server_fault
from server.ops.logs import log

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
