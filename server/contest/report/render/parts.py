"""Tables of the page in one shape: a caption, heads with scopes, and a box of their own in which wide ones scroll."""

from collections.abc import Sequence
from typing import NamedTuple

from server.contest.report.render.markup import Child, Markup, element, joined
from server.contest.report.structure import Loss


class Column(NamedTuple):
    """A column of a table."""

    head: Child
    kind: str = ""
    """``name`` for the column whose cells head their rows, or another class of the style sheet; empty for numbers."""
    title: str | None = None
    """What an abbreviation stands for."""


def table(caption: str, columns: Sequence[Column], rows: Sequence[Markup], kind: str | None = None) -> Markup:
    """Return a table of rows as `row` makes them."""
    whole = element("table", element("caption", caption), heads(columns), element("tbody", rows), class_=kind)
    return box(caption, whole)


def box(label: str, child: Markup) -> Markup:
    """Put something that may be wide into a box that scrolls, by keyboard too."""
    return element("div", child, class_="scroll", tabindex=0, role="region", aria_label=label)


def row(columns: Sequence[Column], cells: Sequence[Child], kind: str | None = None, id: str | None = None) -> Markup:
    """Return a row of a table with these columns."""
    made = [
        element("th", cell, scope="row", class_="name")
        if column.kind == "name"
        else element("td", cell, class_=column.kind or None)
        for column, cell in zip(columns, cells, strict=True)
    ]
    return element("tr", made, class_=kind, id=id)


def heads(columns: Sequence[Column]) -> Markup:
    """Return the heads of a table's columns."""
    return element("thead", element("tr", map(_head, columns)))


def section(id: str, title: str, *children: Child) -> Markup:
    """Return a part of the page with its title."""
    head = element("h2", title, id=f"{id}-title")
    return element("section", head, *children, id=id, aria_labelledby=f"{id}-title")


def paragraph(*children: Child, kind: str | None = None) -> Markup:
    """Return a paragraph."""
    return element("p", *children, class_=kind)


def link(record: str, match: int | None) -> Child:
    """Return the number of a match as a link to its record."""
    if match is None:
        return "–"
    return element("a", str(match), href=record) if record else str(match)


def losses_table(caption: str, losses: Sequence[Loss]) -> Markup:
    """Return a table of losses with their sentences."""
    columns = [
        Column("Lost by", "name"),
        Column("Against", "left"),
        Column("Stage", title="Q is the qualification"),
        Column("Match"),
        Column("Why", "words"),
    ]
    rows = [
        row(
            columns,
            [
                loss.name,
                loss.opponent,
                str(loss.stage or "Q"),
                link(loss.record, loss.match),
                [
                    f"{loss.cause.replace('_', ' ')}: {loss.sentence}",
                    element("details", element("summary", "What its program wrote last"), _lines(loss.wrote))
                    if loss.wrote
                    else None,
                ],
            ],
        )
        for loss in losses
    ]
    return table(caption, columns, rows, "losses")


def _lines(text: str) -> Markup:
    """Return lines as they were written."""
    return element("pre", [joined(line, Markup("\n")) for line in text.splitlines()])


def game_id(number: int) -> str:
    """Return where in the page a game is."""
    return f"game-{number}"


def _head(column: Column) -> Markup:
    cell: Child = column.head
    if column.title is not None:
        cell = element("abbr", joined(cell), title=column.title)
    return element("th", cell, scope="col", class_=column.kind or None)
