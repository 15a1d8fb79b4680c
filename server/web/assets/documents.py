"""The pages as HTML documents: what each has of its own, ``pages/NAME.html``, in the frame that all of them share."""

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from server.web.assets.static_files import File, address, file_of, imported, words_of
from server.web.assets.texts.catalogue import Texts, texts
from server.web.assets.texts.choice import LANGUAGES

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
<html lang="{language}">
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
      <nav aria-label="{pages}">
{links}
      </nav>
      {status}
      {other}
      {sounds}
      <button type="button" class="switch" id="theme" aria-label="{dark}" aria-pressed="false" hidden>◐</button>
    </div>
  </header>
"""

TAIL = "</body>\n</html>\n"

STATUS = '<span class="status" role="status" id="status" hidden></span>'
"""Whether a live page is connected."""

SOUNDS = '<button type="button" class="switch" id="sounds" aria-label="{sounds}" aria-pressed="false" hidden>♪</button>'
"""Switches sounds on and off."""

NO_PAGE = """<main id="main" class="alone">
  <h1>There is no page here</h1>
  <p class="card notice bad" role="alert">SENTENCE</p>
  <p><a class="button main" href="/">To the lobby</a></p>
</main>
"""

SCRIPTLESS = re.compile(r"(?<=<noscript>).*?(?=</noscript>\n)", re.DOTALL)
"""What the body of a page says first to browsers without JavaScript, which see nothing else of it."""

NEEDS_SCRIPT = """<noscript><h1>{title}</h1>
<p class="card notice">{sentence}</p>
</noscript>
"""
"""What it says where nothing better is known, with this sentence."""

SCRIPTLESS_SENTENCE = "This page needs JavaScript; the lobby, matches and contests can be read without it."

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
    sounds: bool = False
    """Whether moves are made on its board, and may be heard."""
    target: str = "main"
    """Where a reader without a mouse skips to: all that a page has of its own, or its board."""


ANNOUNCEMENTS = b'<div id="announcements" role="status"></div>'
"""The place for what organisers announce."""

SKIP = {"main": "To the content", "board": "To the board"}
"""What leads to a `Document.target`."""


DOCUMENTS = {
    "/": Document("lobby", "Lobby", ("contests/contests", "shared/tile", "lobby/lobby"), "lobby/lobby", "/", live=True),
    "/match/{number:number}": Document("match", "Match", ("match/match",), "match/match", live=True, sounds=True),
    "/replay": Document("match", "Replay", ("match/match",), "match/match", "/replay", live=True, sounds=True),
    "/play": Document("play", "Play", ("play/play",), "play/play", "/play", target="board", sounds=True),
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


def load() -> dict[str, dict[str, File]]:
    """Return all pages by their paths, as routes write them, each in every language."""
    folder = files("server.web.assets") / "pages"
    bodies = {page.body: (folder / f"{page.body}.html").read_text(encoding="utf-8") for page in DOCUMENTS.values()}
    return {
        path: {
            language: file_of(".html", _whole_page(page, bodies[page.body], texts(language)).encode())
            for language in LANGUAGES
        }
        for path, page in DOCUMENTS.items()
    }


def with_plain(page: File, markup: str) -> File:
    """Return a page with what it says to browsers without JavaScript, which is markup."""
    head, frame, body = page.data.decode().partition("<main ")
    return file_of(".html", (head + frame + SCRIPTLESS.sub(lambda _: markup, body, count=1)).encode())


def with_announcements(page: File, sentences: Sequence[str]) -> File:
    """Return a page with what organisers announce, where it has a place for that."""
    filled = ANNOUNCEMENTS.replace(b"></", f">{announced(sentences)}</".encode())
    return file_of(".html", page.data.replace(ANNOUNCEMENTS, filled, 1))


def announced(sentences: Sequence[str]) -> str:
    """Return what organisers announce as markup."""
    return "".join(f'<p class="card notice">{escape(sentence)}</p>' for sentence in sentences)


def with_tags(page: File, markup: str) -> File:
    """Return a page with more in its head, which is markup."""
    link = b'  <link rel="icon"'
    return file_of(".html", page.data.replace(link, markup.encode() + link, 1))


def refusal(sentence: str, status: int, words: Texts) -> str:
    """Return the page of an error with this status of HTTP; the sentence may hold anything."""
    told = words.sentence(sentence)
    shown = f"{told[:1].upper()}{told[1:]}."
    # what is translated is the page, and not what the sentence holds
    body = NO_PAGE if status == 404 else REFUSED
    return _whole_page(Document("", "No page"), body, words).replace("SENTENCE", escape(shown), 1)


def _whole_page(page: Document, body: str, words: Texts) -> str:
    """Return a page around its body, which is markup in English, in a language."""
    table = "all" if page.title in LINKS.values() else page.body  # a button of a page may be called as another page is
    return whole(page._replace(title=words.word(table, page.title)), words.page(page.body, body), words)


def whole(page: Document, body: str, words: Texts) -> str:
    """Return a page around its body and with its title, which are in a language already."""
    # before all others and not as a module, so that no page is seen in other colours first
    resources = [f'<script src="{address("theme.js")}"></script>']
    sheets = ("base", "site", "boards/boards", *page.styles)
    resources += [f'<link rel="stylesheet" href="{address(f"{name}.css")}">' for name in sheets]
    if page.script:
        script = f"{page.script}.js"
        modules = [*imported(script), *words_of(words.language)]
        resources += [f'<link rel="modulepreload" href="{address(path)}">' for path in modules]
        resources.append(f'<script type="module" src="{address(script)}"></script>')
        resources.append(f'<noscript><link rel="stylesheet" href="{address("shared/plain.css")}"></noscript>')
        first, line, rest = body.partition("\n")
        sentence = words.word("all", SCRIPTLESS_SENTENCE)
        body = first + line + NEEDS_SCRIPT.format(title=page.title, sentence=sentence) + rest
    links = [_link(path, words.word("all", name), path == page.current) for path, name in LINKS.items()]
    head = HEAD.format(
        language=words.language,
        title=page.title,
        icon=address("icon.svg"),
        resources="\n".join(f"  {line}" for line in resources),
        pages=words.word("all", "Pages"),
        links="\n".join(f"        {line}" for line in links),
        status=STATUS if page.live else "",
        other="\n      ".join(_other(language) for language in LANGUAGES if language != words.language),
        sounds=SOUNDS.format(sounds=words.word("all", "Sounds")) if page.sounds else "",
        dark=words.word("all", "Dark colours"),
        target=page.target,
        skip=words.word("all", SKIP[page.target]),
    )
    return head + body + TAIL


def _link(path: str, name: str, current: bool) -> str:
    mark = ' aria-current="page"' if current else ""
    return f'<a href="{path}"{mark}>{name}</a>'


def _other(language: str) -> str:
    """Return a link to the same page in another language."""
    there = f'href="?language={language}" hreflang="{language}" lang="{language}"'
    return f'<a class="language" {there}>{LANGUAGES[language]}</a>'
