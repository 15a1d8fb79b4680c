"""The pages as HTML documents: what each has of its own, ``pages/NAME.html``, in the frame that all of them share."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from server.web.assets.static_files import File, address, file_of, imported

LINKS = {
    "/": "Lobby",
    "/replay": "Replay",
    "/play": "Play",
    "/analysis": "Analysis",
    "/contests": "Contests",
    "/ladder": "Ladder",
    "/games": "Games",
    "/me": "Account",
}
"""The pages that every page leads to."""

HEAD = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{title} · gipf-arena</title>
  <link rel="icon" href="{icon}">
{resources}
</head>
<body>
  <a class="skip" href="#{target}">{skip}</a>
  <header class="bar">
    <div>
      <a class="brand" href="/"><img src="{icon}" alt="">gipf-arena</a>
      <nav aria-label="Pages">
{links}
      </nav>
      {status}
      <button type="button" class="switch" id="theme" aria-label="Dark colours" aria-pressed="false" hidden>◐</button>
    </div>
  </header>
"""

TAIL = "</body>\n</html>\n"

STATUS = '<span class="status" role="status" id="status" hidden></span>'
"""Whether a live page is connected."""

NO_PAGE = """<main id="main" class="alone">
  <h1>There is no page here</h1>
  <p class="card notice bad" role="alert">SENTENCE</p>
  <p><a class="button main" href="/">To the lobby</a></p>
</main>
"""

NEEDS_SCRIPT = """<noscript><p class="card notice">{sentence}</p></noscript>
"""
"""What the body of a page says first to browsers without JavaScript."""

SCRIPTLESS_SENTENCE = "This page needs JavaScript."

SCRIPTLESS_MATCH = f"{SCRIPTLESS_SENTENCE} The record of match 17 is at /api/matches/17/record."

REFUSED = NO_PAGE.replace("There is no page here", "This page cannot be shown")
"""Of a page that is there, but not for this reader or not now."""


class Document(NamedTuple):
    """What differs between the pages."""

    body: str
    """Name of its file."""
    title: str
    styles: tuple[str, ...] = ()
    """Style sheets of its own, by their paths in ``static/``, or those of reports."""
    script: str = ""
    current: str = ""
    """The link that stands for it."""
    live: bool = False
    target: str = "main"
    """Where a reader without a mouse skips to: all that a page has of its own, or its board."""


ANNOUNCEMENTS = b'<div id="announcements" role="status"></div>'
"""The place for what organisers announce."""

SKIP = {"main": "To the content", "board": "To the board"}
"""What leads to a `Document.target`."""


DOCUMENTS = {
    "/": Document("lobby", "Lobby", ("contests/contests", "shared/tile", "lobby/lobby"), "lobby/lobby", "/", live=True),
    "/match/{number:number}": Document("match", "Match", ("match/match",), "match/match", live=True),
    "/replay": Document("match", "Replay", ("match/match",), "match/match", "/replay", live=True),
    "/play": Document("play", "Play", ("play/play",), "play/play", "/play", target="board"),
    "/analysis": Document(
        "analysis",
        "Analysis",
        ("play/play", "analysis/analysis"),
        "analysis/analysis",
        "/analysis",
        target="board",
    ),
    "/contests": Document("contests", "Contests", ("contests/contests",), "contests/contests", "/contests"),
    "/contest/{number:number}": Document(
        "contest",
        "Contest",
        ("contests/contests", "shared/tile", "contests/tiles", "contest"),
        "contests/contest",
        "/contests",
    ),
    "/player/{name:path}": Document("player", "Player", ("people/people",), "people/player", "/games"),
    "/games": Document("games", "Games", ("people/people",), "people/games", "/games"),
    "/contest/{number:number}/live": Document(
        "night", "Contest", ("shared/tile", "contests/tiles", "contests/night"), "contests/night", "/contests"
    ),
}
"""The pages by their paths, as routes write them."""


def load() -> dict[str, File]:
    """Return all pages by their paths, as routes write them."""
    folder = files("server.web.assets") / "pages"
    bodies = {page.body: (folder / f"{page.body}.html").read_text(encoding="utf-8") for page in DOCUMENTS.values()}
    return {path: file_of(".html", whole(page, bodies[page.body]).encode()) for path, page in DOCUMENTS.items()}


def with_announcements(page: File, sentences: Sequence[str]) -> File:
    """Return a page with what organisers announce, where it has a place for that."""
    markup = "".join(f'<p class="card notice">{escape(sentence)}</p>' for sentence in sentences)
    filled = ANNOUNCEMENTS.replace(b"></", f">{markup}</".encode())
    return file_of(".html", page.data.replace(ANNOUNCEMENTS, filled, 1))


def refusal(sentence: str, status: int) -> str:
    """Return the page of an error with this status of HTTP; the sentence may hold anything."""
    body = NO_PAGE if status == 404 else REFUSED
    return whole(Document("", "No page"), body.replace("SENTENCE", escape(f"{sentence[:1].upper()}{sentence[1:]}."), 1))


def whole(page: Document, body: str) -> str:
    """Return a page around its body, which is markup."""
    # before all others and not as a module, so that no page is seen in other colours first
    resources = [f'<script src="{address("theme.js")}"></script>']
    sheets = ("base", "site", "boards/boards", *page.styles)
    resources += [f'<link rel="stylesheet" href="{address(f"{name}.css")}">' for name in sheets]
    if page.script:
        script = f"{page.script}.js"
        resources += [f'<link rel="modulepreload" href="{address(path)}">' for path in imported(script)]
        resources.append(f'<script type="module" src="{address(script)}"></script>')
        first, line, rest = body.partition("\n")
        sentence = SCRIPTLESS_MATCH if page.body == "match" else SCRIPTLESS_SENTENCE
        body = first + line + NEEDS_SCRIPT.format(sentence=sentence) + rest
    links = [_link(path, name, path == page.current) for path, name in LINKS.items()]
    head = HEAD.format(
        title=page.title,
        icon=address("icon.svg"),
        resources="\n".join(f"  {line}" for line in resources),
        links="\n".join(f"        {line}" for line in links),
        status=STATUS if page.live else "",
        target=page.target,
        skip=SKIP[page.target],
    )
    return head + body + TAIL


def _link(path: str, name: str, current: bool) -> str:
    mark = ' aria-current="page"' if current else ""
    return f'<a href="{path}"{mark}>{name}</a>'
