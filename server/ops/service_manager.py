"""What a service manager is told: that the server is ready, alive, or stopping (the protocol of sd_notify(3))."""

import os
import socket

import trio

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
