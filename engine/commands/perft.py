"""``arena-engine perft``: counts the leaves of the tree of moves, depth by depth."""

from time import perf_counter

from engine.commands.inputs import File, game_named, position_of, warn_of
from engine.commands.program.output import Rejected, answer, say
from engine.games.catalogue import title_of
from engine.games.perft import count
from engine.games.perft import divide as leaves_by_move

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
    compile = not interpreted
    if compile and depth > 0 and root.kernel().compiled:
        say(f"compiling {title_of(root)}, or loading what was compiled before")
        count(root, 1, unique=unique)
    branches = []
    for plies in range(min(1, depth), depth + 1):
        began = perf_counter()
        if divide and plies == depth and depth > 0:
            branches = leaves_by_move(root, depth, unique=unique, compile=compile)
            leaves = sum(branch.leaves for branch in branches)
        else:
            leaves = count(root, plies, unique=unique, compile=compile)
        seconds = perf_counter() - began
        answer(f"perft {plies} {leaves} {seconds:.6f} {leaves / max(seconds, SHORTEST):.0f}")
    for branch in branches:
        answer(f"divide {branch.leaves} {branch.move}")
