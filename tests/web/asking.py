"""Requests to pages, and what is answered: over HTTP, and to an ASGI application without a network."""

import http.client
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

import msgspec
import trio
from starlette.types import ASGIApp, Message

from tests.waiting import WAIT_SECONDS


class Answer(NamedTuple):
    """The answer of an application."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def form(self) -> str:
        """The token that signs its forms."""
        return self._found('name="form" value="([^"]+)"')

    @property
    def secret(self) -> str:
        """A link or token that is shown once."""
        return self._found("<code>([^<]+)</code>")

    def _found(self, pattern: str) -> str:
        found = re.search(pattern, self.text)
        assert found is not None, self.text
        return found[1]


def fetch(port: int, method: str, path: str, body: str | bytes | None, headers: dict[str, str]) -> Answer:
    """Ask a server of this machine over HTTP."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())


async def ask(
    app: ASGIApp,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: dict[str, str] | None = None,
    gone: Callable[[], Any] | None = None,
    state: dict[str, Any] | None = None,
) -> Answer:
    """Ask; ``gone`` waits for the moment at which whoever asks goes away; ``state`` is that of the connection."""
    sent = [{"type": "http.request", "body": body, "more_body": False}]
    answered: list[Message] = []

    async def receive() -> Message:
        if sent:
            return sent.pop()
        await (gone or trio.sleep_forever)()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answered.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8080),
        "state": state or {},
    }
    await app(scope, receive, send)
    pieces = [message.get("body", b"") for message in answered if message["type"] == "http.response.body"]
    head = {name.decode(): value.decode() for name, value in answered[0].get("headers", ())}
    return Answer(answered[0]["status"], head, b"".join(pieces))
