"""What other sites and chats show with a link to a page: Open Graph tags (https://ogp.me), and oEmbed. Pure."""

import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from engine.wire.words import number_of
from server.web.views.contests import Entry

HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
"""A name or an address, perhaps with a port: nothing else is written into a page."""

SCHEMES = ("http", "https")

CARD_WIDTH, CARD_HEIGHT = 1200, 630
"""Pixels of the pictures."""


class Preview(NamedTuple):
    """What is shown with a link."""

    title: str
    description: str
    path: str
    """Of the page."""
    picture: str
    """The path of a picture of `CARD_WIDTH` x `CARD_HEIGHT` pixels."""
    embeddable: bool = False
    """Whether other sites can show the page in a frame, of which ``/oembed`` tells."""


def origin(scheme: str, host: str) -> str:
    """Return what the addresses of a server begin with, as a browser names it; empty where that is no name of a host.

    What a stranger may have written there goes to nobody else: pages are kept by nobody between the two.
    """
    return f"{scheme}://{host}" if scheme in SCHEMES and HOST.fullmatch(host) else ""


def tags(preview: Preview, begins: str) -> str:
    """Return the tags of a page; those with addresses are left out where it is not known what these begin with."""
    known = [("og:title", preview.title), ("og:description", preview.description), ("og:type", "website")]
    known.append(("og:site_name", "gipf-arena"))
    if begins:
        known += [("og:url", begins + preview.path), ("og:image", begins + preview.picture)]
        known += [("og:image:width", f"{CARD_WIDTH}"), ("og:image:height", f"{CARD_HEIGHT}")]
    named = [f'  <meta property="{name}" content="{escape(content)}">\n' for name, content in known]
    named.append(f'  <meta name="description" content="{escape(preview.description)}">\n')
    if begins:
        named.append('  <meta name="twitter:card" content="summary_large_image">\n')
    if begins and preview.embeddable:  # https://oembed.com, section 4
        told = f"{begins}/oembed?format=json&url={quote(begins + preview.path, safe='')}"
        named.append(
            f'  <link rel="alternate" type="application/json+oembed" href="{escape(told)}"'
            f' title="{escape(preview.title)}">\n'
        )
    return "".join(named)


def of_match(number: int, title: str, lines: Iterable[str]) -> Preview:
    """Return what is shown of a match."""
    return Preview(title, "; ".join(filter(None, lines)), f"/match/{number}", f"/card/match/{number}.png", True)


def of_contest(entry: Entry) -> Preview:
    """Return what is shown of a contest."""
    number = entry.contest
    return Preview(entry.name, "; ".join(contest_lines(entry)), f"/contest/{number}", f"/card/contest/{number}.png")


def of_player(name: str) -> Preview:
    """Return what is shown of a player, whose name is one that players may have."""
    return Preview(name, f"Games and ratings of {name}", f"/player/{name}", f"/card/player/{name}.png")


def contest_lines(entry: Entry) -> tuple[str, ...]:
    """Say how a contest stands."""
    leader = (f"first: {entry.leader}",) if entry.leader else ()
    return (
        entry.state,
        f"{entry.done} of {number_of(entry.known, 'game')}",
        number_of(entry.entrants, "entrant"),
        *leader,
    )
