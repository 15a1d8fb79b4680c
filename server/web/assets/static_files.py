"""The files of the pages: read once, served from memory.

Pages name them below a folder that is called by the hash of all of them, so that browsers keep them without asking
again. Modules import each other by relative paths, and so from the same folder.
"""

import posixpath
import re
from functools import cache
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from engine.games.boards.shapes import variables
from server.contest.report import page

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


VERSIONED = re.compile(r"v-([0-9a-f]{16})/(.+)")
"""A path below the folder of a version."""

IMPORTS = re.compile(r'^(?:import|export|\}) .*?from "(\.[^"]+)";$|^import "(\.[^"]+)";$', re.MULTILINE)


class File(NamedTuple):
    """A file as it is sent."""

    data: bytes
    packed: bytes
    """The data in the form that gzip has."""
    media_type: str
    tag: str
    """Changes with the data, for a browser that has the file already."""


@cache
def load() -> dict[str, File]:
    """Return all files that pages ask for by their path, as in boards/board.js."""
    found = dict(_walk(files("server.web.assets") / "static", ""))
    for name in page.STYLES:  # drawn alike in a report and on the page of its contest
        found[name] = file_of(".css", page.style_sheet(name).encode())
    boards = found["boards/boards.css"].data
    found["boards/boards.css"] = file_of(".css", variables().encode() + boards)
    return found


@cache
def version() -> str:
    """Return what changes when any of the files does."""
    tags = "".join(f"{path} {file.tag}\n" for path, file in sorted(load().items()))
    return sha256(tags.encode()).hexdigest()[:16]


def address(path: str) -> str:
    """Return where a page finds a file, which never changes there."""
    return f"/static/v-{version()}/{path}"


def find(path: str) -> tuple[File | None, bool]:
    """Return the file at a path, with or without a version, and whether browsers may keep it for good."""
    versioned = VERSIONED.fullmatch(path)
    if versioned is None:
        return load().get(path), False
    return load().get(versioned[2]), versioned[1] == version()


def imported(script: str) -> list[str]:
    """Return the modules that a script loads, its own and those of these, each once."""
    found: list[str] = []
    waiting = [script]
    while waiting:
        path = waiting.pop(0)
        for names in IMPORTS.findall(load()[path].data.decode()):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(path), "".join(names)))
            if module not in found:
                found.append(module)
                waiting.append(module)
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
