"""Perft: counts the leaves of the tree of moves, to verify the rules of a game and to measure their speed.

docs/rules.md has counts for comparison. The method comes from chess programming, where R. Hyatt's Crafty made the
command known.
"""

from collections.abc import Callable

from engine.games.interface import Kernel, Position

FIRST_PLACES = 1 << 12
"""Places of the first arena: several plies of positions with hundreds of children."""

MAX_PLACES = 1 << 16
"""Places of the largest arena: it takes too long to compare more children of a position."""

PIECE_PLIES = 2
"""Depth of the trees that `Counter` counts at once with interpreted rules. They take milliseconds, on the largest
boards a tenth of a second."""


def count(position: Position, depth: int, *, unique: bool = False, compile: bool = True) -> int:
    """Return the number of leaves of the tree of moves from a position.

    With ``unique``, moves of a node to the same position count once. Raises OverflowError if a position has too many
    children for an arena of MAX_PLACES.
    """
    return Counter(unique=unique, is_compiled=lambda leaves: compile, piece_plies=depth).count(position, depth)


class Counter:
    """Counts leaves with interpreted rules until compiled rules are ready: it divides the tree into pieces."""

    def __init__(self, *, unique: bool, is_compiled: Callable[[int], bool], piece_plies: int = PIECE_PLIES) -> None:
        """Take a function that tells whether compiled rules are ready, given the leaves of the last piece.

        It is called before each piece. With interpreted rules, a piece has ``piece_plies`` plies.
        """
        self._unique = unique
        self._is_compiled = is_compiled
        self._piece_plies = piece_plies
        self._leaves = 0

    def count(self, position: Position, depth: int) -> int:
        """Return the number of leaves, as the function `count` does."""
        if depth == 0:
            return 1
        compile = self._is_compiled(self._leaves)
        self._leaves = 0
        if not compile and depth > self._piece_plies:
            return sum(leaves for _, leaves in self.divide(position, depth))
        self._leaves = _count(position.kernel(compile=compile), depth, self._unique)
        return self._leaves

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        """Return each move with its leaves, in the order of generation. The depth is at least 1.

        With ``unique``, a move to the same position as an earlier move is left out, so the sum is always that of
        `count`. Raises the errors of `count`.
        """
        branches = []
        seen = set()
        for move, after in position.children():
            if self._unique and after.key in seen:
                continue
            seen.add(after.key)
            branches.append((move, self.count(after, depth - 1)))
        return branches


def _count(kernel: Kernel, depth: int, unique: bool) -> int:
    """Count with a larger arena each time the kernel raises OverflowError."""
    places = FIRST_PLACES
    while True:
        try:
            return int(kernel.rules.perft(kernel.state, depth, unique, kernel.arena(places), 0))
        except OverflowError as error:
            if places >= MAX_PLACES:
                raise OverflowError(f"a position has more children than {places} places hold") from error
            places *= 4
