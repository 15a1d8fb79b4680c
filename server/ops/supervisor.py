"""Keeps services running beside the matches, and tells the service manager of the system about the server.

The service manager hears that the server is ready, alive, or stopping (the protocol of sd_notify(3)).
"""

import os
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import structlog
import trio

from server.ops.faults import MAX_PAUSE_SECONDS, pause_seconds, server_fault

log = structlog.get_logger()

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


WATCHDOG_SHARE = 0.5
"""Part of the time that a watchdog allows after which it hears again, as its manual has it."""


def tell(state: str) -> None:
    """Tell the service manager a state, as in ``READY=1``; does nothing where there is none."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as notices:
            notices.sendto(state.encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)
    except OSError:
        return  # a manager that has gone away is no reason to stop


def watchdog_seconds() -> float:
    """Return after how many seconds without a word the manager takes the server for hung; 0 where it does not."""
    microseconds, process = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    meant = not process or process == str(os.getpid())
    return int(microseconds) / 1_000_000 if meant and microseconds.isdecimal() else 0.0


async def keep_watchdog() -> None:
    """Tell the watchdog that the event loop runs, until cancelled; returns at once where there is none."""
    seconds = watchdog_seconds()
    while seconds:
        tell("WATCHDOG=1")
        await trio.sleep(seconds * WATCHDOG_SHARE)
