"""The files of the pages: read once, served from memory."""

from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class File(NamedTuple):
    """A file as it is sent."""

    data: bytes
    media_type: str
    tag: str
    """Changes with the data, for a browser that has the file already."""


def load() -> dict[str, File]:
    """Return all files of the pages by their path, as in boards/board.js."""
    return dict(_walk(files("server.web") / "static", ""))


def _walk(folder: Traversable, path: str) -> list[tuple[str, File]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{path}{entry.name}/")
            continue
        media_type = TYPES.get(entry.name[entry.name.rfind(".") :])
        if media_type is not None:
            data = entry.read_bytes()
            found.append((path + entry.name, File(data, media_type, f'"{sha256(data).hexdigest()[:20]}"')))
    return found
