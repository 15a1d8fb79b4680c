"""The service: listens, serves every connection, keeps the flags, and stops in order."""

import gc
import resource
import signal
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import structlog
import trio

from engine.outcome import Termination
from server.archive import Archive, claimed
from server.flags import FlagKeeper
from server.hall import Hall
from server.house import keep_house
from server.loopwatch import LoopWatch
from server.outbox import Outbox
from server.restart import take_up
from server.session import refusal, serve_stream
from server.settings import Settings

log = structlog.get_logger()

GOODBYE_SECONDS = 2.0
"""What connections get to take their last lines when the server stops."""

BACKLOG = 1024
"""Connections that wait to be accepted: a whole contest may connect at once."""


def microseconds() -> int:
    """Return the server's monotonic clock: trio's, so that tests can put another one in its place."""
    return int(trio.current_time() * 1_000_000)


def program() -> str:
    """Name this program and its version, as in the greeting and in records."""
    try:
        return f"gipf-arena/{version('gipf-arena')}"
    except PackageNotFoundError:
        return "gipf-arena/0"


async def serve(settings: Settings, *, task_status: trio.TaskStatus[Hall] = trio.TASK_STATUS_IGNORED) -> None:
    """Serve until cancelled, or stopped by SIGINT or SIGTERM where this is the main thread.

    Reports the hall when connections are accepted; `Hall.ports` tells where. Owns and closes all listeners and
    connections. Matches that were running when the last server died go on. On the first signal no match is begun any
    more, running ones get the grace of the settings, and what is left is annulled; on a second one the grace is over.
    Raises OSError where the port or the data directory is not to be had.
    """
    _raise_descriptor_limit()
    _collect_seldom()
    listeners = await trio.open_tcp_listeners(settings.port, host=settings.host, backlog=BACKLOG)
    try:
        with claimed(settings.data):
            await _serve(settings, listeners, task_status)
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
            for listener in listeners:
                await listener.aclose()
    log.info("stopped")


async def _serve(settings: Settings, listeners: list[trio.SocketListener], task_status: trio.TaskStatus[Hall]) -> None:
    """Take up what was left, then let everybody in; who came before waits in the backlog."""
    archive = Archive(settings.data)
    outbox = Outbox()
    flags = FlagKeeper(microseconds, outbox.soon)
    hall = Hall(settings, archive, flags, outbox, microseconds, program())
    take_up(hall, archive, lambda: datetime.now(UTC))
    watch = LoopWatch(microseconds)
    hall.ports = [listener.socket.getsockname()[1] for listener in listeners]
    for instrument in (outbox, watch):
        trio.lowlevel.add_instrument(instrument)
    count = 0

    async def handle(stream: trio.SocketStream) -> None:
        nonlocal count
        if count >= settings.most_sessions:
            async with stream:
                with trio.move_on_after(1):
                    await stream.send_all(refusal(f"{settings.most_sessions} connections are open; try later"))
            return
        count += 1
        try:
            await serve_stream(stream, hall, watch, str(stream.socket.getpeername()))
        except OSError as error:
            log.info("connection gone at once", error=repr(error))
        finally:
            count -= 1

    try:
        async with trio.open_nursery() as sessions, trio.open_nursery() as services:

            async def accept() -> None:
                await trio.serve_listeners(handle, listeners, handler_nursery=sessions)

            services.start_soon(flags.run)
            services.start_soon(accept)
            if settings.house:
                services.start_soon(keep_house, hall, settings)
            log.info("listening", host=settings.host, ports=hall.ports, data=str(settings.data))
            task_status.started(hall)
            await _stopped(hall, settings)
            services.cancel_scope.cancel()
            for session in hall.everybody():
                session.close("stopping", "the server is shutting down")
            sessions.cancel_scope.deadline = trio.current_time() + GOODBYE_SECONDS
    finally:
        for instrument in (outbox, watch):
            trio.lowlevel.remove_instrument(instrument)


async def _stopped(hall: Hall, settings: Settings) -> None:
    """Wait for a signal, then for the matches to end."""
    with _signals() as signals:
        name = signal.Signals(await anext(signals)).name
        hall.stop()
        log.info("stopping", signal=name, matches=len(hall.matches), grace=settings.grace)

        async def hurry(scope: trio.CancelScope) -> None:
            await anext(signals)
            scope.cancel()

        with trio.move_on_after(settings.grace) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(hurry, scope)
                while hall.matches:
                    await trio.sleep(0.05)
                nursery.cancel_scope.cancel()
    for match in list(hall.matches.values()):
        hall.annul(match, Termination.SERVER_STOP, "the server was stopped while the match was being played")


def _signals() -> Any:
    return trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM)


def _collect_seldom() -> None:
    """Let the garbage collector look for cycles seldom: the path of a move makes none.

    By default it walks through all live objects every few thousand moves, tens of milliseconds for 500 matches.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _raise_descriptor_limit() -> None:
    """Let the process open as many files as it may: a match takes three."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
