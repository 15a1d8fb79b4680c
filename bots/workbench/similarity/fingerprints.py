"""What stands for a program: some of the hashes of its runs of tokens, chosen by winnowing (pure).

After Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD 2003): of each
`WINDOW` hashes in a row the smallest is kept, the last of equal ones. So two programs share a fingerprint wherever they
have `RUN` + `WINDOW` - 1 tokens in common, and none where they have fewer than `RUN`.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from bots.workbench.similarity.tokens import Tokens

RUN = 20
"""Tokens that a hash is made of: some two lines."""

WINDOW = 15
"""Hashes in a row of which at least one is kept."""

BASE = 0x9E3779B97F4A7C15
"""An odd number without a pattern, to whose powers the tokens of a run are multiplied."""


class Fingerprints(NamedTuple):
    """Hashes, each with the first and the last line of the run of tokens that it stands for."""

    hashes: NDArray[np.uint64]
    first_lines: NDArray[np.int32]
    last_lines: NDArray[np.int32]


def run_hashes(tokens: Tokens) -> NDArray[np.uint64]:
    """Return the hash of each run of tokens, in order; none for fewer than `RUN` tokens."""
    count = max(len(tokens.codes) - RUN + 1, 0)
    hashes = np.zeros(count, np.uint64)
    for offset in range(RUN):
        hashes = hashes * np.uint64(BASE) + tokens.codes[offset : offset + count]
    # high bits decide which hash is small: mix the low ones, which depend on fewer tokens, into them
    hashes ^= hashes >> np.uint64(31)
    return hashes * np.uint64(BASE)


def winnow(tokens: Tokens) -> Fingerprints:
    """Return the fingerprints of a file, in the order of their places."""
    hashes = run_hashes(tokens)
    if len(hashes) > WINDOW:
        # argmin finds the first of equal ones: turn the windows round
        windows = sliding_window_view(hashes, WINDOW)[:, ::-1]
        chosen = np.unique(np.arange(len(windows)) + WINDOW - 1 - windows.argmin(axis=1))
    else:
        chosen = np.flatnonzero(hashes == hashes.min(initial=np.iinfo(np.uint64).max))[-1:]
    return Fingerprints(hashes[chosen], tokens.lines[chosen], tokens.lines[chosen + RUN - 1])
