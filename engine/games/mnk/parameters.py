"""The parameters N, M and K of m,n,k-games."""

import re
from typing import NamedTuple

from engine.games.interface import BadParameters

SIZES = range(1, 20)
"""Rows N and columns M: 19 is the board of go, and as far as gomoku is played."""

RUNS = range(1, 100)
"""Pieces in a line, K. More than a board has room for are allowed: nobody can win then."""


class Parameters(NamedTuple):
    """N rows, M columns, K pieces in a line."""

    rows: int
    columns: int
    run: int

    def __str__(self) -> str:
        """Return the numbers as they begin the first line of a position."""
        return " ".join(map(str, self))

    @property
    def warning(self) -> str:
        """Say what is odd about these parameters: a line that does not fit, or one that every piece makes."""
        if self.run > max(self.rows, self.columns):
            return f"K = {self.run} is more than a board of {self.rows} rows and {self.columns} columns has in a line"
        if self.run == 1:
            return "K = 1: the first piece wins"
        return ""


def parse(text: str) -> Parameters:
    """Read three numbers separated by spaces or commas; raises `BadParameters`."""
    words = re.split(r"[,\s]+", text.strip())
    if len(words) != 3 or not all(re.fullmatch(r"[0-9]{1,6}", word) for word in words):
        sentence = f"m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not {text!r}"
        raise BadParameters("bad_parameters", sentence)
    parameters = Parameters(*map(int, words))
    for name, count in zip(("N", "M"), parameters[:2], strict=True):
        if count not in SIZES:
            raise BadParameters("bad_parameters", f"{name} is {count}, but boards have 1 to 19 rows and columns")
    if parameters.run not in RUNS:
        raise BadParameters("bad_parameters", f"K is {parameters.run}, but it lies between 1 and 99")
    return parameters
