"""Requests to an ASGI application without a network."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import trio
from starlette.types import ASGIApp, Message


class Answer(NamedTuple):
    """What an application answered."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


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
    return Answer(answered[0]["status"], b"".join(pieces))
