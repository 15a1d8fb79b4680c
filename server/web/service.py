"""The pages as a service beside the others: listens, serves browsers, and stops with the server."""

from time import thread_time

import trio

from server.arena.arena import Arena
from server.net.listener import close_all
from server.net.timing import microseconds
from server.storage.record_store import RecordStore
from server.web.app import Room, application
from server.web.http.client_quota import HttpRateLimiter
from server.web.http.listener import MAX_CONNECTIONS, serve_browsers
from server.web.live.channels import Hubs
from server.web.live.event_stream import Broadcaster
from server.web.people.routes import People
from server.web.play.routes import Analysis, Playing


async def serve(
    arena: Arena,
    record_store: RecordStore,
    listeners: list[trio.SocketListener],
    *rooms: Room,
) -> None:
    """Serve the pages of an arena, and of other rooms, on listeners, which are closed in the end, until cancelled."""
    broadcaster = Broadcaster(arena.send_queue.soon, thread_time)
    hubs = Hubs(arena, broadcaster)
    http_rate_limiter = HttpRateLimiter(arena.settings.limits, MAX_CONNECTIONS, microseconds)
    try:
        async with (
            Playing() as playing,
            Analysis() as analysis,
            People(arena.settings.data) as people,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(broadcaster.run)
            nursery.start_soon(hubs.lobby.run)
            nursery.start_soon(people.run)
            nursery.start_soon(hubs.contests.run)
            app = application(arena, record_store, hubs, playing, people, analysis, *rooms)
            await serve_browsers(app, listeners, http_rate_limiter)
    finally:
        await close_all(listeners)
