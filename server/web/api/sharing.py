"""What other sites may show of a match: a frame with its board, and the oEmbed answer that names the frame. Pure."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import urlsplit

import msgspec

from server.web.assets.texts.catalogue import Texts, texts
from server.web.assets.texts.choice import USUAL
from server.web.http.numbers import Number
from server.web.http.response_guard import POLICY

FRAME_HEADERS = {
    "content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
    "vary": "accept-language, cookie",
}
"""Of the frame, which any page may stand around: it has no script, and nothing to click but a link."""

PICTURE_HEADERS = {"cross-origin-resource-policy": "cross-origin", "cache-control": "no-cache"}

ENGLISH = texts(USUAL)

WIDTH, HEIGHT = 480, 560
"""Pixels of the frame: the largest board with its names."""

REFRESH_SECONDS = 5
"""How often the frame of a running match is loaded again."""

FRAME = """<!doctype html>
<html lang="{language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
{refresh}  <title>{title}</title>
  <link rel="icon" href="{icon}">
  <link rel="stylesheet" href="{style}">
</head>
<body class="frame">
{body}</body>
</html>
"""

BOARD = """  <a href="/match/{match}" target="_blank" rel="noopener">
    <picture>
      <source media="(prefers-color-scheme: dark)" srcset="{board}&amp;theme=dark">
      <img src="{board}" alt="{told}">
    </picture>
    <span>{title}</span>
  </a>
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


def title_of(players: tuple[str, str], result: str, words: Texts = ENGLISH) -> str:
    """Return who plays, and the result where there is one: the side that has won, ``draw`` or ``annulled``."""
    told = words(result) if result in ("", "draw", "annulled") else words("{0} wins", words(result))
    return f"{players[0]} – {players[1]}" + (f": {told}" if told else "")


def frame(match: int, title: str, plies: int, running: bool, words: Texts, address: Callable[[str], str]) -> str:
    """Return the document of the frame in a language, that of its title; ``address`` finds files of the pages."""
    board = f"/api/v1/matches/{match}/position.svg?ply={plies}"
    told = escape(words("The board, moves made: {0}", plies))
    body = BOARD.format(match=match, board=board, told=told, title=escape(title))
    refresh = f'  <meta http-equiv="refresh" content="{REFRESH_SECONDS}">\n' if running else ""
    return _document(title, body, refresh, words, address)


def empty_frame(sentence: str, words: Texts, address: Callable[[str], str]) -> str:
    """Return the document of a frame that has no board, which says why in a sentence of the server's."""
    told = words.sentence(sentence)
    return _document("gipf-arena", f"  <p>{escape(f'{told[:1].upper()}{told[1:]}.')}</p>\n", "", words, address)


def _document(title: str, body: str, refresh: str, words: Texts, address: Callable[[str], str]) -> str:
    style, icon = address("boards/frame.css"), address("icon.svg")
    shown = {"language": words.language, "title": escape(title), "body": body, "refresh": refresh}
    return FRAME.format(**shown, style=style, icon=icon)


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
