"""``arena-engine perft``: counts the leaves of the tree of moves, depth by depth."""

from time import perf_counter

from engine.commands.inputs import File, position_of
from engine.commands.program import Rejected, answer, say
from engine.games.catalogue import title_of
from engine.games.kernels import COUNTING, KernelSource
from engine.games.perft import Counter

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
    root = position_of(game, params, position)

    def compiling() -> None:
        say(f"compiling the rules of {title_of(root)}; until then they are interpreted")

    kernels = KernelSource(root, COUNTING, compile_from=START_LEAVES, compiling=compiling)
    counter = Counter(unique=unique, is_compiled=(lambda _: False) if interpreted else kernels.spend)
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
