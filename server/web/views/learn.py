"""The page for visitors: an animated move of GIPF, and the rules of all games from docs/rules.md."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from engine.games.boards.layout import Drawing, Piece
from engine.games.boards.svg import COLOURS, MARKS, STEP, ground, group, look, marks, pieces, places_of, rim, spot
from engine.games.catalogue import GAMES, TITLES
from server.web.views.board import motion

# The animated move

POSITION = "4 4 15 15\n9 10 W\nW _ _ B\n_ _ B _ _\n_ _ _ _ W _\nW W W B _ _ _\n_ B _ _ _ _\n_ _ _ _ _\nB _ _ W\n"
MOVE = "a1-b2"
"""A push that moves four pieces, completes a row of white, and captures a piece of black."""

SECONDS, REPEATS = 8, 3
"""Duration of the animation, and how often it plays."""

MOVED, COMPLETED, TAKEN = (0.15, 0.3), (0.42, 0.45), (0.65, 0.8)
"""Begin and end of the push, of the marks around the row, and of the capture, as parts of the duration."""


class Example(NamedTuple):
    """A push and a capture in pictures."""

    moving: Markup
    before: Markup
    pushed: Markup
    taken: Markup


@cache
def example() -> Example:
    """Draw the example: animated, and as three pictures for readers who prefer no motion."""
    start = GAMES["gipf"].read(POSITION)
    made = motion(start, MOVE)
    drawing = start.drawing()
    assert made.source is not None and made.placed is not None
    goals = dict(made.slides)
    new = Piece(field=made.placed, side=made.side)
    pushed = (new, *(piece._replace(field=goals.get(piece.field, piece.field)) for piece in drawing.pieces))
    places = places_of(drawing.layout) | {name: (x * STEP, y * STEP) for name, x, y in drawing.layout.dots}

    def animated() -> Iterator[str]:
        rings = (spot(drawing.layout, MARKS["decisive"], *places[field]) for field in made.taken)
        yield group('opacity="0"', [*rings, _animate("opacity", (0, 1, 0), (COMPLETED, TAKEN))])
        for piece, origin in zip(pushed, (made.source, *(piece.field for piece in drawing.pieces)), strict=True):
            (x, y), (right, down) = places[str(origin)], places[piece.field]
            parts = list(look(drawing.layout, piece.side))
            if origin != piece.field:
                parts.append(_animate("transform", (f"{x:g} {y:g}", f"{right:g} {down:g}"), (MOVED,)))
            if piece.field in made.taken:
                parts.append(_animate("opacity", (1, 0), (TAKEN,)))
            yield group(f'transform="translate({x:g} {y:g})"', parts)

    x, y = places[made.source]
    waiting = group(f'transform="translate({x:g} {y:g})"', look(drawing.layout, made.side))
    return Example(
        moving=_board(
            drawing, animated(), "Animation: White pushes a piece and takes a row", 'id="moving" class="board"'
        ),
        before=_board(drawing, [*pieces(drawing), waiting], "White puts a piece on the dot a1"),
        pushed=_still(replace(drawing, pieces=pushed, decisive=made.taken), "Four white pieces stand in a row"),
        taken=_still(start.play(MOVE).drawing(), "The row has left the board"),
    )


def _still(drawing: Drawing, title: str) -> Markup:
    return _board(drawing, [*marks(drawing), *pieces(drawing)], title)


def _board(drawing: Drawing, parts: Iterable[str], title: str, attributes: str = 'class="board"') -> Markup:
    names = rim(drawing.layout, page=True)
    width, height = ((length + 2 * names.extra) * STEP for length in (drawing.layout.width, drawing.layout.height))
    shown = f'viewBox="{-width / 2:g} {-height / 2:g} {width:g} {height:g}" role="img" aria-label="{escape(title)}"'
    return Markup("<svg {} {}>{}</svg>").format(
        Markup(attributes), Markup(shown), Markup("".join((*ground(drawing, names), *parts)))
    )


def _animate(attribute: str, values: Iterable[object], changes: Iterable[tuple[float, float]]) -> str:
    """Return an animation of an attribute that changes from each value to the next one within parts of the duration."""
    first, *others = values
    frames = [(0.0, first)]
    for (begin, end), value in zip(changes, others, strict=True):
        frames += [(begin, frames[-1][1]), (end, value)]
    frames.append((1.0, frames[-1][1]))
    kind = "animateTransform" if attribute == "transform" else "animate"
    told = f'{kind} attributeName="{attribute}"' + (' type="translate"' if attribute == "transform" else "")
    times, states = (";".join(str(frame[part]) for frame in frames) for part in (0, 1))
    timing = f'dur="{SECONDS}s" repeatCount="{REPEATS}" begin="0s;moving.click" fill="freeze"'
    return f'<{told} values="{states}" keyTimes="{times}" {timing}/>'


# The rules

FOLDER = Path(__file__).parent.parent / "assets" / "rules"
"""Links to docs/rules.md and its pictures."""

CHAPTERS = {"gipf": "1", "arrows": "2", "morris": "3", "mnk": "4"}
"""Chapter of each game in the document."""

PLAY = {*CHAPTERS.values(), "1.1", "1.3", "1.4", "1.5", "1.6", "2.1", "3.1", "4.1"}
"""Sections that a player needs. The other ones describe texts, commands, and known results."""

NUMBER = re.compile(r"(\d+(?:\.\d+)*)\.? ")
"""The number of a chapter or a section before its title."""


class Rules(NamedTuple):
    """The rules of a game."""

    game: str
    title: str
    play: Markup
    """How to play."""
    details: Markup
    """Texts of positions and moves, commands, known results."""


@cache
def rules() -> tuple[Rules, ...]:
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
            token.attrSet("id", _anchor(title.content))
            if section in PLAY and title.children:
                title.children[0].content = NUMBER.sub("", title.content)
        if token.type.startswith("heading"):
            token.tag = f"h{int(token.tag[1]) + 1}"
        part.append(token)

    def html(chapter: str, is_play: bool) -> Markup:
        text = markdown.renderer.render(parts[chapter, is_play], markdown.options, {})
        return Markup(re.sub("<(table|pre)>", r'<\1 tabindex="0">', text))  # readers without a mouse scroll them

    return tuple(
        Rules(name, TITLES[name], html(chapter, True), html(chapter, False)) for name, chapter in CHAPTERS.items()
    )


def _anchor(title: str) -> str:
    """Return the anchor that GitHub gives to a heading, as the links of the document name it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


DAY = {colour.day[:7]: name for name, colour in COLOURS.items()}


def _picture(_renderer: object, tokens: list[Token], at: int, _options: object, _env: object) -> str:
    """Return a picture of the document as part of the page, in the colours of the page."""
    token = tokens[at]
    svg = (FOLDER / str(token.attrs["src"])).read_text(encoding="utf-8")
    svg = re.sub(r'"(#[0-9a-f]{6})"', lambda found: f'"var(--{DAY.get(found[1], "quiet")})"', svg)
    return svg.replace("<svg ", f'<svg class="picture" role="img" aria-label="{escape(token.content)}" ', 1)
