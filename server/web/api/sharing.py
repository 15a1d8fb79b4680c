"""What other sites may show of a match: a frame with its board, and the oEmbed answer that names the frame. Pure."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import urlsplit

import msgspec

from server.web.http.numbers import Number
from server.web.http.response_guard import POLICY

FRAME_HEADERS = {
    "content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
}
"""Of the frame, which any page may stand around: it has no script, and nothing to click but a link."""

PICTURE_HEADERS = {"cross-origin-resource-policy": "cross-origin", "cache-control": "no-cache"}

WIDTH, HEIGHT = 480, 560
"""Pixels of the frame: the largest board with its names."""

REFRESH_SECONDS = 5
"""How often the frame of a running match is loaded again."""

FRAME = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
{refresh}  <title>{title}</title>
  <link rel="icon" href="{icon}">
  <link rel="stylesheet" href="{style}">
</head>
<body class="frame">
  <a href="/match/{match}" target="_blank" rel="noopener">
    <picture>
      <source media="(prefers-color-scheme: dark)" srcset="{board}&amp;theme=dark">
      <img src="{board}" alt="The board, moves made: {plies}">
    </picture>
    <span>{title}</span>
  </a>
</body>
</html>
"""


class Embed(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of oEmbed 1.0 (https://oembed.com, section 2.3)."""

    version: str = "1.0"
    type: str = "rich"
    provider_name: str = "gipf-arena"
    title: str
    html: str
    width: int
    height: int


def title_of(players: tuple[str, str], result: str) -> str:
    """Return who plays, and the result where there is one: the side that has won, ``draw`` or ``annulled``."""
    told = result if result in ("", "draw", "annulled") else f"{result} wins"
    return f"{players[0]} – {players[1]}" + (f": {told}" if told else "")


def frame(match: int, title: str, plies: int, running: bool, address: Callable[[str], str]) -> str:
    """Return the document of the frame; ``address`` finds files of the pages."""
    refresh = f'  <meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n' if running else ""
    return FRAME.format(
        match=match,
        board=f"/api/v1/matches/{match}/position.svg?ply={plies}",
        title=escape(title),
        plies=plies,
        refresh=refresh,
        style=address("boards/frame.css"),
        icon=address("icon.svg"),
    )


def match_of(url: str, host: str) -> int | None:
    """Return the number of the match whose page an address of this host is; None for any other address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    found = re.fullmatch(f"/match/({Number.regex})", parts.path)
    is_ours = parts.scheme in ("http", "https") and parts.netloc == host
    return int(found[1]) if found and is_ours else None


def embed(url: str, match: int, title: str, most: tuple[int, int]) -> Embed:
    """Return the oEmbed answer for the page of a match; ``most`` are the largest width and height that are wanted."""
    width, height = min(WIDTH, most[0]), min(HEIGHT, most[1])
    parts = urlsplit(url)
    source = escape(f"{parts.scheme}://{parts.netloc}/embed/match/{match}")
    html = f'<iframe src="{source}" width="{width}" height="{height}" title="{escape(title)}"></iframe>'
    return Embed(title=title, html=html, width=width, height=height)
