"""The parameters L = (S, K, GW, GB) of generalised GIPF."""

import re
from typing import NamedTuple

from engine.games.interface import BadParameters

SIZES = range(2, 13)
"""Fields on a side, S. 12 is as far as one letter a column goes."""

PIECES = range(4, 1000)
"""All pieces of one side, GW or GB: three stand on the board at the start, one more is needed to move."""


class Parameters(NamedTuple):
    """L: board side S, run length K, all pieces of white and of black."""

    size: int
    run: int
    white: int
    black: int

    def __str__(self) -> str:
        """Return L as it stands in the first line of a board."""
        return " ".join(map(str, self))

    @property
    def warning(self) -> str:
        """Say what is odd about these parameters; empty for all but K = 2S-1."""
        if self.run == 2 * self.size - 1:
            return (
                f"K = {self.run} is as long as the longest line of a board of side {self.size}: nothing can be captured"
            )
        return ""


def parse(text: str) -> Parameters:
    """Read L from four numbers separated by spaces or commas; raises `BadParameters`."""
    words = re.split(r"[,\s]+", text.strip())
    if len(words) != 4 or not all(re.fullmatch(r"[0-9]{1,6}", word) for word in words):
        raise BadParameters("bad_parameters", f"GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not {text!r}")
    parameters = Parameters(*map(int, words))
    size, run, *pieces = parameters
    if size not in SIZES:
        raise BadParameters("bad_parameters", f"S is {size}, but boards have sides of 2 to 12 fields")
    if not 2 <= run <= 2 * size - 1:
        raise BadParameters("bad_parameters", f"K is {run}, but for S = {size} it lies between 2 and {2 * size - 1}")
    for name, count in zip(("GW", "GB"), pieces, strict=True):
        if count not in PIECES:
            raise BadParameters("bad_parameters", f"{name} is {count}, but a side has 4 to 999 pieces")
    return parameters
