"""Perft: counting the leaves of the tree of moves, to prove a game's rules and to measure their speed.

The counts to compare with stand in docs/rules.md. The term and the method come from chess programming, where
R. Hyatt's Crafty made the command known.
"""

from collections.abc import Callable

from engine.games.interface import Kernel, Position

FIRST_PLACES = 1 << 12
"""Places of the arena that a count begins with: several plies of positions with hundreds of children."""

MAX_PLACES = 1 << 16
"""Places of the largest arena that a count tries; more children of a position take too long to tell apart."""

PIECE_PLIES = 2
"""Depth of the trees that `Counter` counts in one go while they are interpreted: milliseconds, and a tenth of a
second on the largest boards."""


def count(position: Position, depth: int, *, unique: bool = False, compile: bool = True) -> int:
    """Return how many leaves the tree of moves from a position has at a depth of 0 and more.

    With ``unique``, moves of a node that lead to the same position count once. Raises OverflowError where a position
    has more children than an arena of MAX_PLACES holds.
    """
    return Counter(unique=unique, is_compiled=lambda leaves: compile, piece_plies=depth).count(position, depth)


class Counter:
    """Counts leaves without waiting for the compiler: a tree in pieces, interpreted until compiled rules are there."""

    def __init__(self, *, unique: bool, is_compiled: Callable[[int], bool], piece_plies: int = PIECE_PLIES) -> None:
        """Take what tells, after so many more leaves, whether compiled rules are there; it is asked before each piece.

        A piece that is counted by interpreted rules is ``piece_plies`` deep.
        """
        self._unique = unique
        self._is_compiled = is_compiled
        self._piece_plies = piece_plies
        self._leaves = 0

    def count(self, position: Position, depth: int) -> int:
        """Return how many leaves the tree of moves has, as `count` does."""
        if depth == 0:
            return 1
        compile = self._is_compiled(self._leaves)
        self._leaves = 0
        if not compile and depth > self._piece_plies:
            return sum(leaves for _, leaves in self.divide(position, depth))
        self._leaves = _count(position.kernel(compile=compile), depth, self._unique)
        return self._leaves

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        """Return each move with the leaves behind it at a depth of 1 and more, in the order of generation.

        With ``unique``, a move that leads to the same position as an earlier one is left out, so that the leaves add
        up to `count` either way. Raises the errors of `count`.
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
    """Count with arenas that grow until one is large enough: a kernel raises OverflowError where one is not."""
    places = FIRST_PLACES
    while True:
        try:
            return int(kernel.rules.perft(kernel.state, depth, unique, kernel.arena(places), 0))
        except OverflowError as error:
            if places >= MAX_PLACES:
                raise OverflowError(f"a position has more children than {places} places hold") from error
            places *= 4
