"""What kernels of m,n,k-games say that all children of a position are worth."""

from engine.compiling.binding import zeros
from engine.games.interface import SCRATCH, Kernel


def valued(kernel: Kernel) -> list[tuple[int, bool]]:
    """Return the value of each child for the side that moves to it, and whether it is the true one."""
    rules = kernel.rules
    assert rules.evaluate_children is not None
    count = rules.children(kernel.state, kernel.arena(400), 0)
    values = zeros("q", 3 + count + SCRATCH + 1)
    assert rules.evaluate_children(kernel.state, 3, values)
    assert [*values[:3], values[3 + count + SCRATCH]] == [0] * 4, "nothing is written outside"
    return [(int(number) >> 1, bool(number & 1)) for number in values[3 : 3 + count]]
