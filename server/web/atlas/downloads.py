"""Files to be downloaded, piece by piece from the disk: in bounded numbers, and charged to the quota of the address."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from server.web.atlas.tables import open_file
from server.web.http.client_quota import ClientQuota
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA, STREAM
from server.web.http.request_body import CHARGED_BYTES, cancel_when_gone

AT_A_TIME, AT_A_TIME_OF_ONE = 6, 2
"""Downloads that run, of all and of one address; further ones are told to try later."""

LEAST_PACE, PATIENCE = 64 * 1024, 60.0
"""Bytes a second that a browser has to take, and seconds beyond that: one that takes less keeps nobody from a turn."""


class Span(NamedTuple):
    """A part of a file: from which byte on, and up to which one, that one not included."""

    start: int
    stop: int


class Downloads:
    """The downloads that run, by the quotas of those who have them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._running: Counter[Hashable] = Counter()

    @contextmanager
    def counted(self, quota: ClientQuota) -> Iterator[None]:
        """Count a download as long as it runs; raises `Refused` where there are too many."""
        if self._running.total() >= AT_A_TIME or self._running[quota] >= AT_A_TIME_OF_ONE:
            raise Refused(
                503, f"{AT_A_TIME} files are sent at a time, {AT_A_TIME_OF_ONE} to an address; try again later"
            )
        self._running[quota] += 1
        try:
            yield
        finally:
            self._running[quota] -= 1
            self._running += Counter()  # forget who has none


class FileResponse(Response):
    """The answer that sends a file, or the part of it that was asked for."""

    def __init__(self, request: Request, name: str, size: int, tag: str, downloads: Downloads) -> None:
        """Take the name of a file of tablebases, its size, and a tag that any other content has not.

        Raises `Refused` where the file has no such part.
        """
        tag = f'"{tag}"'
        is_same = request.headers.get("if-range", tag) == tag
        self._span = span_of(request.headers.get("range", "") if is_same else "", size)
        self._name, self._downloads = name, downloads
        self._is_sent = request.method != "HEAD"
        is_part = self._span != Span(0, size)
        super().__init__(status_code=206 if is_part else 200, media_type="application/octet-stream")
        # named as it is, so that it is not compressed: that would take the processor longer than to send it
        self.headers.update({"content-encoding": "identity", "accept-ranges": "bytes", "cache-control": "no-cache"})
        self.headers.update({"etag": tag, "content-length": str(self._span.stop - self._span.start)})
        if is_part:
            self.headers["content-range"] = f"bytes {self._span.start}-{self._span.stop - 1}/{size}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; a browser that is too slow is cut off, and one that has gone is forgotten."""
        if not self._is_sent:
            await super().__call__(scope, receive, send)
            return
        quota: ClientQuota = scope[QUOTA]
        is_whole = False
        with self._downloads.counted(quota):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(cancel_when_gone, receive, nursery.cancel_scope)
                with trio.move_on_after(PATIENCE + (self._span.stop - self._span.start) / LEAST_PACE):
                    is_whole = await self._send(send, quota)
                if not is_whole:
                    scope["state"][STREAM].cut()
                nursery.cancel_scope.cancel()

    async def _send(self, send: Send, quota: ClientQuota) -> bool:
        """Send head and pieces; tell whether the file had all of them."""
        start, stop = self._span
        async with await trio.to_thread.run_sync(_Reader, self._name, start) as reader:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while start < stop:
                await _pay(quota)
                piece = await reader.read(min(stop - start, CHARGED_BYTES))
                if not piece:
                    return False
                start += len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": start < stop})
        return True


class _Reader:
    """A file that is read in threads."""

    def __init__(self, name: str, start: int) -> None:
        self._file = open_file(name)
        self._file.seek(start)

    async def __aenter__(self) -> "_Reader":
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._file.close()

    async def read(self, most: int) -> bytes:
        return await trio.to_thread.run_sync(self._file.read, most)


def span_of(asked: str, size: int) -> Span:
    """Return the part of a file that a header ``Range`` asks for; all of it where there is none, or of several.

    Raises `Refused` where the file has no such part.
    """
    found = re.fullmatch(r"bytes=([0-9]{0,15})-([0-9]{0,15})", asked)
    if found is None or found[1] == found[2] == "":
        return Span(0, size)
    if found[1] == "":
        span = Span(max(0, size - int(found[2])), size)
    else:
        span = Span(int(found[1]), size if found[2] == "" else min(size, int(found[2]) + 1))
    if span.start >= span.stop:
        raise Refused(416, f"the file has {size} bytes, and no part {asked!r}")
    return span


async def _pay(quota: ClientQuota) -> None:
    """Charge a piece; wait as long as the address owes too much."""
    while (wait := quota.wait()) is None:
        await trio.sleep(1)
    await trio.sleep(wait)
