"""The files of the pages: read once, served from memory."""

from gzip import compress
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from server.contest.report.render import environment

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class File(NamedTuple):
    """A file as it is sent."""

    data: bytes
    packed: bytes
    """The data in the form that gzip has."""
    media_type: str
    tag: str
    """Changes with the data, for a browser that has the file already."""


def load() -> dict[str, File]:
    """Return all files that pages ask for by their path, as in boards/board.js."""
    found = dict(_walk(files("server.web.assets") / "static", ""))
    for name in environment.STYLES:  # drawn alike in a report and on the page of its contest
        found[name] = file_of(".css", environment.style_sheet(name).encode())
    return found


def file_of(suffix: str, data: bytes) -> File:
    """Return data as a file of one of the `TYPES`."""
    return File(data, compress(data, mtime=0), TYPES[suffix], f'"{sha256(data).hexdigest()[:20]}"')


def _walk(folder: Traversable, path: str) -> list[tuple[str, File]]:
    found = []
    for entry in folder.iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if entry.is_dir():
            found += _walk(entry, f"{path}{entry.name}/")
        elif suffix in TYPES:
            found.append((path + entry.name, file_of(suffix, entry.read_bytes())))
    return found
