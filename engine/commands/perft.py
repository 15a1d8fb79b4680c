"""``arena-engine perft``: counts the leaves of the tree of moves, depth by depth."""

from time import perf_counter

from engine.commands.inputs import File, game_named, position_of, warn_of
from engine.commands.program import Rejected, answer, say
from engine.compiling.binding import can_compile
from engine.games.catalogue import title_of
from engine.games.interface import Position
from engine.games.perft import AdaptiveCounter
from engine.search.binding import counting_code

START_LEAVES = 50_000
"""Leaves counted interpreted after which a process is started that compiles: a tenth of a second."""

SHORTEST = 1e-9
"""Seconds that a count takes at least, for the sake of its rate."""


def perft(
    game: str,
    /,
    *,
    depth: int,
    params: str | None = None,
    position: File = None,
    unique: bool = False,
    divide: bool = False,
    interpreted: bool = False,
) -> None:
    """Count the leaves of the tree of moves: a line a depth, `perft DEPTH COUNT SECONDS RATE`.

    Where the rules were never compiled, counting begins interpreted, and goes over to them when they are.

    Parameters
    ----------
    game
        The game's name.
    depth
        Plies to count to, 0 or more.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with a position to begin at; - is standard input.
    unique
        Count moves of a node that lead to the same position once.
    divide
        Then show the leaves at the last depth behind each move, `divide COUNT MOVE`.
    interpreted
        Run the rules as they stand instead of compiled.
    """
    if depth < 0:
        raise Rejected(f"--depth is {depth}, but leaves are counted at depths of 0 and more")
    root = position_of(game_named(game), params, position)
    warn_of(root)
    counter = AdaptiveCounter(unique=unique, is_compiled=(lambda _: False) if interpreted else _Compiling(root).is_done)
    branches = []
    for plies in range(min(1, depth), depth + 1):
        began = perf_counter()
        if divide and plies == depth and depth > 0:
            branches = counter.divide(root, depth)
            leaves = sum(branch.leaves for branch in branches)
        else:
            leaves = counter.count(root, plies)
        seconds = perf_counter() - began
        answer(f"perft {plies} {leaves} {seconds:.6f} {leaves / max(seconds, SHORTEST):.0f}")
    for branch in branches:
        answer(f"divide {branch.leaves} {branch.move}")


class _Compiling:
    """Tells whether compiled rules are there, and has another process compile them where that is worth while."""

    def __init__(self, root: Position) -> None:
        self._root = root
        self._code = counting_code(root)
        self._is_told = False

    def is_done(self, leaves: int) -> bool:
        """Tell whether they are there, after so many leaves were counted."""
        if self._code.is_ready():
            return True
        if leaves < START_LEAVES:
            return False
        if not self._code.can_be_kept():
            return can_compile()  # in this process, since there is no cache for another one to write to
        self._code.start()
        if not self._is_told:
            self._is_told = True
            say(f"compiling the rules of {title_of(self._root)}; until then they are interpreted")
        return False
