"""The search for forced wins, run until it has found one or none is there."""

from engine.games.interface import Kernel
from engine.solve.forced_wins import ForcedWin, ForcedWinSearch


def forced_win(kernel: Kernel, plies: int) -> ForcedWin | None:
    """Return the shortest forced win of either side within so many plies, or None where there is none."""
    search = ForcedWinSearch(kernel, memory=1 << 28)
    search.run(1 << 62, plies)
    return search.found
