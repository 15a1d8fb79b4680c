"""Text in a terminal. Names and moves are never read as markup: all is `rich.text.Text`."""

import re

from rich.console import Console
from rich.text import Text


def plain_console() -> Console:
    """Return a console that reads nothing in a text as markup."""
    return Console(highlight=False, markup=False, emoji=False)


def print_lines(console: Console, *lines: str) -> None:
    """Print lines as they are: not wrapped, and never read as markup."""
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def paint_board(picture: str, marks: tuple[str, str]) -> Text:
    """Colour a board: pieces stand out, the last move most of all, and everything else is dim."""
    text = Text(picture.rstrip("\n"), style="dim")
    for mark in marks:
        # a mark that is a digit has a sign behind it, unlike the numbers at the rim
        pattern = rf"(?<!\w){mark}[^\w\s\]]+" if mark.isalnum() else re.escape(mark)
        text.highlight_regex(pattern, "bold not dim")
    text.highlight_regex(r"\[.{1,2}\]", "bold not dim green")
    return text
