"""Answers: data in JSON, and pages that templates make, with the words and figures of matches that they write."""

from collections.abc import Mapping
from functools import lru_cache, partial

import segno
import trio
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from engine.games.endings import how_ended, reason_text
from server.contest.report.templating import add_filters, render
from server.web.http.static_files import address, imported
from server.web.views.board import EndOfGame

JSON = "application/json"

QR_BORDER = 2
"""Light modules around a QR code."""


NOT_STORED = {"cache-control": "no-store"}
"""Headers of answers that may be different the next time."""

add_filters(address, imported)


def json_answer(data: bytes, status: int = 200) -> Response:
    """Return an answer in JSON."""
    return Response(data, status, media_type=JSON, headers=NOT_STORED)


class Page(HTMLResponse):
    """A page, or a part of one, that a thread makes of a template when it is sent: a large one takes milliseconds."""

    def __init__(
        self, template: str, values: Mapping[str, object], status: int = 200, headers: Mapping[str, str] = NOT_STORED
    ) -> None:
        """Take the name of the template, and values that do not change until it is filled in."""
        super().__init__(status_code=status, headers=headers)
        self._render = partial(render, template, **values)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Fill in the template, and send the page."""
        self.body = self.render(await trio.to_thread.run_sync(self._render))
        self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def result(ending: EndOfGame | None) -> str:
    """Write the result of a match as it stands in tables."""
    if ending is None:
        return "…"
    if ending.winner is not None:
        return ("1 – 0", "0 – 1")[ending.winner]
    return "–" if ending.result == "annulled" else "½ – ½"


def badge(ending: EndOfGame, side: int) -> str:
    """Return the result of a side in a word."""
    if ending.winner is not None:
        return "won" if ending.winner == side else "lost"
    return "annulled" if ending.result == "annulled" else "draw"


def clock(milliseconds: int) -> str:
    """Write the time on a clock: tenths below twenty seconds."""
    left = max(0, milliseconds)
    minutes, seconds = divmod(left // 1000, 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    tenths = f".{left // 100 % 10}" if left < 20_000 else ""
    return f"{minutes}:{seconds:02}{tenths}"


@lru_cache
def qr(address: str) -> Markup:
    """Draw an address as a QR code, in SVG."""
    return Markup(segno.make(address, micro=False).svg_inline(border=QR_BORDER, light="#fff", omitsize=True))


add_filters(reason_text, how_ended, result, badge, clock, qr)
