"""The rules of all games from docs/rules.md, for the page for visitors."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from engine.games.boards.svg import COLOURS
from engine.games.catalogue import TITLES

FOLDER = Path(__file__).parent.parent / "assets" / "rules"
"""Links to docs/rules.md and its pictures."""

CHAPTERS = {"gipf": "1", "arrows": "2", "morris": "3", "mnk": "4"}
"""Chapter of each game in the document."""

PLAY = {*CHAPTERS.values(), "1.1", "1.3", "1.4", "1.5", "1.6", "2.1", "3.1", "4.1"}
"""Sections that a player needs. The other ones describe texts, commands, and known results."""

NUMBER = re.compile(r"(\d+(?:\.\d+)*)\.? ")
"""The number of a chapter or a section before its title."""


class RulesPage(NamedTuple):
    """The rules of a game."""

    game: str
    title: str
    play: Markup
    """How to play."""
    details: Markup
    """Texts of positions and moves, commands, known results."""


@cache
def rules() -> tuple[RulesPage, ...]:
    """Return the rules of all games."""
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.add_render_rule("image", _picture)
    parts: dict[tuple[str, bool], list[Token]] = {}
    part: list[Token] = []
    tokens = markdown.parse((FOLDER / "rules.md").read_text(encoding="utf-8"))
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h1", "h2", "h3"):
            title = tokens[at + 1]
            number = NUMBER.match(title.content)
            section = number[1] if number else ""
            part = parts.setdefault((section.partition(".")[0], section in PLAY), [])
            # the anchor that GitHub gives to a heading, as the links of the document name it
            token.attrSet("id", re.sub(r"[^\w\- ]", "", title.content.lower()).replace(" ", "-"))
            if section in PLAY and title.children:
                title.children[0].content = NUMBER.sub("", title.content)
        if token.type.startswith("heading"):
            token.tag = f"h{int(token.tag[1]) + 1}"
        part.append(token)

    def html(chapter: str, is_play: bool) -> Markup:
        text = markdown.renderer.render(parts[chapter, is_play], markdown.options, {})
        return Markup(re.sub("<(table|pre)>", r'<\1 tabindex="0">', text))  # readers without a mouse scroll them

    return tuple(
        RulesPage(name, TITLES[name], html(chapter, True), html(chapter, False)) for name, chapter in CHAPTERS.items()
    )


DAY = {colour.day[:7]: name for name, colour in COLOURS.items()}


def _picture(_renderer: object, tokens: list[Token], at: int, _options: object, _env: object) -> str:
    """Return a picture of the document as part of the page, in the colours of the page."""
    token = tokens[at]
    svg = (FOLDER / str(token.attrs["src"])).read_text(encoding="utf-8")
    svg = re.sub(r'"(#[0-9a-f]{6})"', lambda found: f'"var(--{DAY.get(found[1], "quiet")})"', svg)
    return svg.replace("<svg ", f'<svg class="picture" role="img" aria-label="{escape(token.content)}" ', 1)
