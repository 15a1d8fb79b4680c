"""The pages: watching, replaying and playing in the browser.

- `layouts`, `views`, `stories`, `overview`: pure: boards, positions, matches and the lobby as data that a page draws
- `listener`, `crowd`: connections of browsers, by HTTP, and how many there may be
- `feed`, `hubs`: what is live, told to many browsers at once
- `films`: the positions of a match, made beside the event loop
- `records`, `telling`: what is known of a record, worked out by processes (`processes`), in `turns` of who asks
- `earlier`, `results`: the results of earlier servers, read off their records
- `contests`: contests, from their reports
- `play`, `play_table`, `play_worker`, `play_workers`: playing, by processes that know the rules
- `app`, `guard`, `documents`, `static_files`, `errors`: requests and answers
- `bodies`: what browsers send, within bounds
- `service`: all of it, beside the other services of the server
- `pages`, `static`: what browsers get; docs/web.md tells how pages and server talk
"""

import trio

from server.archive import Archive
from server.hall import Hall


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


async def serve_web(hall: Hall, archive: Archive, listeners: list[trio.SocketListener]) -> None:
    """Serve the pages of a hall on listeners, which are closed in the end, until cancelled."""
    from server.web.service import serve  # whoever serves no pages need not load what serves them

    await serve(hall, archive, listeners)
