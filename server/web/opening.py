"""Begins to serve pages. The modules that serve them are loaded only where somebody wants pages."""

from typing import TYPE_CHECKING

import trio

from server.arena.arena import Arena
from server.storage.record_store import RecordStore

if TYPE_CHECKING:
    from server.web.app import Room


async def open_web(place: tuple[str, int] | None) -> list[trio.SocketListener]:
    """Listen for browsers at an address and port, or nowhere.

    Raises OSError, with a sentence for people, where the port is not to be had.
    """
    if place is None:
        return []
    host, port = place
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except OSError as error:
        cause = error.__cause__ or error
        reason = getattr(cause, "strerror", None) or str(error)
        sentence = f"no pages on {host}:{port} ({reason}); choose another place with --web HOST:PORT, or say --no-web"
        raise OSError(sentence) from None


async def serve_web(
    arena: Arena,
    record_store: RecordStore,
    listeners: list[trio.SocketListener],
    *rooms: "Room",
) -> None:
    """Serve the pages of an arena, and of other rooms, on listeners, which the caller closes, until cancelled."""
    from server.web.service import serve  # whoever serves no pages need not load what serves them

    await serve(arena, record_store, listeners, *rooms)
