"""Answers: data in JSON, and pages that templates make."""

from collections.abc import Mapping
from functools import partial

import trio
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from server.contest.report.templating import add_filters, render
from server.web.assets.static_files import address, imported

JSON = "application/json"

NOT_STORED = {"cache-control": "no-store"}
"""Of an answer that may be another one the next time."""

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
