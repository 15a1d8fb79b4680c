"""The pages as a service beside the others: listens, serves browsers, and stops with the server."""

from time import thread_time

import trio

from server.archive import Archive
from server.hall import Hall
from server.loop import microseconds
from server.web.app import application
from server.web.crowd import Crowd
from server.web.feed import Broadcaster
from server.web.hubs import Hubs
from server.web.listener import MOST_CONNECTIONS, serve_browsers
from server.web.play import Playing


async def serve(hall: Hall, archive: Archive, listeners: list[trio.SocketListener]) -> None:
    """Serve the pages of a hall on listeners, which are closed in the end, until cancelled."""
    broadcaster = Broadcaster(hall.outbox.soon, thread_time)
    hubs = Hubs(hall, broadcaster)
    crowd = Crowd(hall.settings.limits, MOST_CONNECTIONS, microseconds)
    try:
        async with Playing() as playing, trio.open_nursery() as nursery:
            nursery.start_soon(broadcaster.run)
            nursery.start_soon(hubs.lobby.run)
            await serve_browsers(application(hall, archive, hubs, playing), listeners, crowd)
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
            for listener in listeners:
                await listener.aclose()
