"""The scripts and styles of the pages, served by Starlette.

Pages name them below a folder that is called by the hash of all of them, so that browsers keep them without asking
again. Modules import each other by relative paths, and so from the same folder.
"""

import posixpath
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from engine.games.boards.svg import variables

PACKAGES: list[str | tuple[str, str]] = [("server.web", "assets/static"), ("server.contest.report", "styles")]
"""Packages and their folders with files. Reports and the pages of their contests have the same styles."""

COLOURS = "colours.css"
"""A style sheet that is made from the table of the engine."""

LASTING = {"cache-control": "public, max-age=31536000, immutable"}
"""Browsers keep a file whose path names its version."""

IMPORTS = re.compile(r'^(?:import|export|\}) .*?from "(\.[^"]+)";$|^import "(\.[^"]+)";$', re.MULTILINE)


class VersionedFiles(StaticFiles):
    """Files that never change at their address. The address of another version is not found."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of this version."""
        response = await super().get_response(path if scope["path_params"]["version"] == version() else "", scope)
        response.headers.update(LASTING)
        return response


_FILES = VersionedFiles(packages=PACKAGES)


@cache
def version() -> str:
    """Return a hash of all files."""
    paths = sorted(path for folder in _FILES.all_directories for path in Path(folder).rglob("*") if path.is_file())
    digest = sha256(variables().encode())
    for path in paths:
        digest.update(path.name.encode() + path.read_bytes())
    return f"v-{digest.hexdigest()[:16]}"


def address(path: str) -> str:
    """Return where a page finds a file."""
    return f"/static/{version()}/{path}"


def routes() -> list[BaseRoute]:
    """Return the routes of all files."""

    async def colours(_request: Request) -> Response:
        return Response(variables(), media_type="text/css", headers=LASTING)

    return [Route(f"/static/{version()}/{COLOURS}", colours), Mount("/static/{version}", _FILES)]


@cache
def imported(script: str) -> list[str]:
    """Return the modules that a script loads, its own and those of these, each once."""
    found: list[str] = []
    waiting = [script]
    while waiting:
        path = waiting.pop(0)
        for names in IMPORTS.findall(Path(_FILES.lookup_path(path)[0]).read_text(encoding="utf-8")):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(path), "".join(names)))
            if module not in found:
                found.append(module)
                waiting.append(module)
    return found
