"""Tables of perft: the counts that stand beside the tests of a game."""

from typing import NamedTuple


class Table(NamedTuple):
    """The counts of one set-up in one convention, by depth from 1 on."""

    parameters: str
    unique: bool
    counts: list[int]


def case_name(table: object) -> str:
    """Name a test case by what it counts."""
    assert isinstance(table, Table)
    return f"{table.parameters} {'U' if table.unique else 'M'}"
