"""Pictures of positions: the same shapes, places, names and colours as the boards of the pages."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from playwright.sync_api import Browser

from engine.games.boards.shapes import PHONE_PIXELS, picture
from engine.games.catalogue import GAMES
from engine.games.interface import Position, Successor
from server.web.assets.static_files import address
from server.web.views.board import motion, view
from tests.games.cases import random_game
from tests.web.chromium import open_page
from tests.web.site import Site

SHOWN = (
    *(("gipf", f"{size} 3 15 15", 30) for size in (2, 3, 4, 7, 12)),
    ("morris", "", 25),
    ("mnk", "3 3 3", 9),
    ("mnk", "19 19 5", 60),
    ("arrows", "8 8", 60),
    ("arrows", "5 4 1 1 5 4 3 7 3 3", 60),
)
"""Games, variants, and how many random moves are made."""

SHAPES = ("circle", "rect", "line", "polygon", "text")

DRAW = """async ([views, night]) => {
    document.documentElement.dataset.theme = night ? "dark" : "light";
    const { Board } = await import("MODULE");
    const container = document.createElement("div");
    document.body.append(container);
    return views.map(([view, motion, width]) => {
        container.replaceChildren();
        container.style = `position: absolute; width: ${width}px`;
        new Board(container, view).show(view, motion);
        const root = container.querySelector("svg");
        const shown = (shape) => getComputedStyle(shape).display !== "none";
        return [...root.querySelectorAll("circle, rect, line, polygon, text")].filter(shown).map((shape) => {
            const style = getComputedStyle(shape);
            const { a, b, c, d, e, f } = root.getScreenCTM().inverse().multiply(shape.getScreenCTM());
            return {
                name: shape.localName,
                words: shape.textContent,
                attributes: Object.fromEntries([...shape.attributes].map(({ name, value }) => [name, value])),
                placed: [a, b, c, d, e, f],
                fill: style.fill,
                stroke: style.stroke,
                width: parseFloat(style.strokeWidth),
                dash: style.strokeDasharray,
                size: parseFloat(style.fontSize),
            };
        });
    });
}""".replace("MODULE", address("boards/board.js"))
"""Tells all shapes of boards as a browser draws them."""

IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def reached(game: str, parameters: str, most: int) -> tuple[Position, Successor]:
    """Return the last positions of a random game, with the move between them."""
    *_, before, after = random_game(GAMES[game], parameters, Random(5), most=most)
    return before, before.move_to(after.key)


def colour(text: str) -> tuple[float, ...]:
    """Return a colour of CSS as red, green, blue and opacity; that of nothing is empty."""
    if text == "none":
        return ()
    if text.startswith("#"):
        return *(int(text[i : i + 2], 16) for i in (1, 3, 5)), 1.0
    numbers = tuple(map(float, re.findall(r"[0-9.]+", text)))
    return numbers if len(numbers) == 4 else (*numbers, 1.0)


def corners(name: str, attributes: dict[str, str], placed: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return the points that say where a shape is: corners, ends, or the middle."""
    numbers = {key: float(value) for key, value in attributes.items() if re.fullmatch(r"-?[0-9.]+(e-[0-9]+)?", value)}
    x, y = numbers.get("x", 0.0), numbers.get("y", 0.0)
    if name == "polygon":
        flat = [float(value) for value in re.split("[ ,]", attributes["points"])]
        found = list(zip(flat[::2], flat[1::2], strict=True))
    elif name == "line":
        found = [(numbers["x1"], numbers["y1"]), (numbers["x2"], numbers["y2"])]
    elif name == "circle":
        found = [(numbers.get("cx", 0.0), numbers.get("cy", 0.0))]
    elif name == "rect":
        found = [(x, y), (x + numbers["width"], y + numbers["height"])]
    else:
        found = [(x, y)]
    a, b, c, d, e, f = placed
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in found]


def of_page(shape: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be the same in a picture."""
    name, attributes = shape["name"], shape["attributes"]
    told = {
        "name": name,
        "at": corners(name, attributes, tuple(shape["placed"])),
        "round": float(attributes.get("r", attributes.get("rx", 0))),
        "fill": () if name == "line" else colour(shape["fill"]),
    }
    if name == "text":
        return told | {"words": shape["words"], "size": shape["size"]}
    dash = [float(part) for part in re.findall(r"[0-9.]+", shape["dash"])]
    stroke = colour(shape["stroke"])
    return told | {"stroke": stroke, "width": shape["width"] if stroke else 0, "dash": dash}


def of_picture(text: str) -> Iterator[dict[str, Any]]:
    """Yield the same of each shape of a picture."""

    def walk(parent: ElementTree.Element, placed: tuple[float, ...]) -> Iterator[dict[str, Any]]:
        for element in parent:
            name, has = element.tag.partition("}")[2], element.attrib
            if name == "g":
                x, y = map(float, has["transform"][len("translate(") : -1].split())
                yield from walk(element, (1, 0, 0, 1, x, y))
            if name not in SHAPES:
                continue
            fill = colour(has["fill"])
            told = {
                "name": name,
                "at": corners(name, has, placed),
                "round": float(has.get("r", has.get("rx", 0))),
                "fill": (*fill[:3], float(has["fill-opacity"])) if "fill-opacity" in has else fill,
            }
            if name == "text":
                yield told | {"words": element.text, "size": float(has["font-size"])}
                continue
            dash = [float(part) for part in has.get("stroke-dasharray", "").split()]
            stroke = colour(has.get("stroke", "none"))
            yield told | {"stroke": stroke, "width": float(has.get("stroke-width", 0)), "dash": dash}

    yield from walk(ElementTree.fromstring(text), IDENTITY)


def is_same(one: Any, other: Any) -> bool:
    """Tell whether shapes agree, as far as a decimal in places and a hundredth in opacities can say."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float | int):
        return abs(one - other) < 0.06
    return bool(one == other)


def shapes_of(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in drawn if one["name"] != "text"]


def names_of(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted((one for one in drawn if one["name"] == "text"), key=lambda one: (one["words"], one["at"]))


def width_of(last: Successor) -> int:
    """Return how many pixels wide a picture is on a phone."""
    width, _ = picture(last.position.drawing(last), "").pixels  # type: ignore[attr-defined]
    return min(PHONE_PIXELS, width)


@pytest.mark.slow
def test_pages_draw_the_same_boards_as_pictures(browser: Browser, site: Site) -> None:
    positions = [reached(*case) for case in SHOWN]
    views = [
        (msgspec.to_builtins(view(last.position)), msgspec.to_builtins(motion(before, last.move)), width_of(last))
        for before, last in positions
    ]
    with open_page(browser) as page:
        page.goto(f"{site.url}/play")
        for night in (False, True):
            drawn = page.evaluate(DRAW, [views, night])
            for (game, parameters, _), (_, last), shapes in zip(SHOWN, positions, drawn, strict=True):
                seen = [of_page(shape) for shape in shapes]
                expected = list(of_picture(last.position.svg(last, night=night)))
                texts = len(last.position.summary().split(";"))
                assert [one["name"] for one in expected[-texts:]] == ["text"] * texts
                expected = expected[:-texts]
                assert len(seen) == len(expected), (game, parameters)
                for drawn_by in (shapes_of, names_of):
                    for one, other in zip(drawn_by(seen), drawn_by(expected), strict=True):
                        assert is_same(one, other), (game, parameters, night, one, other)
