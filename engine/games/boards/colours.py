"""The colours of boards and pieces, by day and by night: one table for pages, pictures and notebooks.

Pages get a style sheet of them (`server.web.assets.static_files`).
"""

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour by day and by night, each as #rrggbb, or #rrggbbaa where it is transparent."""

    day: str
    night: str


COLOURS = {
    "plate": Colour("#e6d2a8", "#8a6f45"),
    "plate-edge": Colour("#c8ad78", "#5f4b2c"),
    "line": Colour("#8b7040", "#33280f"),
    "on-plate": Colour("#6a5327", "#fffaf0"),
    "cell": Colour("#f0e2c2", "#4a3c29"),
    "blocked": Colour("#8f7444", "#221c13"),
    "ivory": Colour("#fdf9ef", "#fbf3e2"),
    "ivory-edge": Colour("#7d6a40", "#a99a7c"),
    "ebony": Colour("#33312f", "#141312"),
    "ebony-edge": Colour("#171615", "#050505"),
    "ebony-groove": Colour("#605c57", "#7a746d"),
    "shade": Colour("#00000044", "#00000044"),
    "first": Colour("#b5371f", "#f0795c"),
    "second": Colour("#17627d", "#6cc3e0"),
    "on-side": Colour("#fff9ee", "#1b1712"),
    "hint": Colour("#1f4c9c", "#d9e7ff"),
    "light": Colour("#a65300", "#ffd884"),
    "light-wash": Colour("#a6530033", "#ffd88426"),
}
"""What stands on a board has a contrast of 3:1 or more to it (tests/web/test_colours.py)."""

AROUND = {
    "paper": Colour("#f4efe6", "#171614"),
    "ink": Colour("#22211d", "#ece6da"),
    "quiet": Colour("#635e53", "#a9a193"),
}
"""What lies around boards, as on pages and in reports (server/contest/report/styles/base.css)."""


def by_light(night: bool) -> dict[str, str]:
    """Return all colours by their names, as they are by day or by night."""
    return {name: colour.night if night else colour.day for name, colour in (COLOURS | AROUND).items()}


def variables() -> str:
    """Return the colours of boards as variables of CSS, which follow the colours of the page."""
    lines = (f"  --{name}: light-dark({colour.day}, {colour.night});\n" for name, colour in COLOURS.items())
    return f":root {{\n{''.join(lines)}}}\n"
