"""HTML and SVG made of elements: whatever is not markup already is escaped, so that no text can become markup."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from server.contest.report.formatting import printable


class Markup(str):
    """Text that is markup, and is not escaped any more. Only this module makes it of anything."""

    __slots__ = ()


Child: TypeAlias = str | Iterable["Child"] | None
"""What an element may hold: markup, text that gets escaped, several of these, or nothing."""

_VOID = frozenset({"meta", "link", "br", "hr", "img", "col", "input"})
"""Elements of HTML that never hold anything."""


def element(name: str, /, *children: Child, **attributes: str | int | float | None) -> Markup:
    """Return an element with its attributes and children.

    Attributes are named as in Python: ``class_`` is class, and other underscores are hyphens. Those with None are left
    out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(printable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Return children one behind the other."""
    return Markup("".join(map(_markup, children)))


def document(*children: Child) -> str:
    """Return a whole page in English; ``children`` are its head and body."""
    return "<!doctype html>\n" + element("html", *children, lang="en") + "\n"


def style_sheet(css: str) -> Markup:
    """Return a style sheet, in which nothing is escaped; raises ValueError where it would end before its end."""
    if "<" in css:
        raise ValueError("a style sheet must not contain '<'")
    return Markup(f"<style>{css}</style>")


def _markup(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(printable(child))
    return joined(*child)
