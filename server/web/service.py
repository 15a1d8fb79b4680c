"""The pages as a service beside the others: listens, serves browsers, and stops with the server."""

from time import thread_time

import trio

from server.arena.arena import Arena
from server.net.listener import Listener
from server.net.timing import microseconds
from server.ops.supervisor import supervise
from server.storage.record_store import RecordStore
from server.web.app import Room, application
from server.web.http.client_quota import HttpRateLimiter
from server.web.http.listener import MAX_CONNECTIONS, REFUSAL, serve_browsers
from server.web.live.event_stream import Broadcaster
from server.web.live.match_channel import MatchHubs
from server.web.live.pages import LivePages
from server.web.people.routes import People
from server.web.pool import Pool


async def serve(
    arena: Arena,
    record_store: RecordStore,
    listeners: list[trio.SocketListener],
    *rooms: Room,
) -> None:
    """Serve the pages of an arena, and of other rooms, on listeners, which the caller closes, until cancelled."""
    broadcaster = Broadcaster(thread_time)
    http_rate_limiter = HttpRateLimiter(arena.settings.limits, MAX_CONNECTIONS, microseconds)
    async with (
        Pool() as pool,
        trio.open_nursery() as nursery,
    ):
        people = People(arena.settings.data, pool)
        pages = LivePages(arena, broadcaster, people.newest)
        nursery.start_soon(broadcaster.run)
        nursery.start_soon(supervise, "games_index", people.run)
        nursery.start_soon(supervise, "live_pages", pages.run)
        app = application(arena, record_store, pages, MatchHubs(broadcaster), pool, people, *rooms)
        wrapped = [Listener(listener, arena.accept_status, REFUSAL) for listener in listeners]
        await serve_browsers(app, wrapped, http_rate_limiter)
