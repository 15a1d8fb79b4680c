"""Solving a fixed list of positions: starts of small variants, and endings of games that the engine played.

The positions stand in solving.txt: a line with the game and a name, the position's text, a blank line. Starts are named
by their parameters. The endings come from games of alpha-beta at 300 nodes a move, every tenth move at random, and are
named by the variant, by how many plies before the end of that game they stood, and by a number. The endings with
`reserve` are the first positions of such games of the usual GIPF in which neither side had more pieces in reserve than
the name says, and both had one.

A position is refuted to so many plies when no forced win is as short. Nodes and positions are the same in every run.
Seconds are those of one search in a process in which all is compiled.
"""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.solve.solver import Result, Solution, SolverLimits, solve

FILE = Path(__file__).with_name("solving.txt")

NODES = 100_000
"""Each search gives up after so many: a second or two."""

MEMORY = 1 << 31


def positions() -> Iterator[tuple[str, Position]]:
    """Yield the names and positions of the list."""
    for block in FILE.read_text(encoding="utf-8").split("\n\n"):
        head, _, text = block.partition("\n")
        game, name = head.split()
        yield name, GAMES[game].read(text)


def run() -> None:
    """Print what is found of each position, and what it took."""
    print(f"solving: each search stops after {NODES} nodes or positions")
    print("                position  result   plies  refuted     nodes  positions  seconds")
    seconds, solved = 0.0, []
    warm: set[tuple[str, str]] = set()
    for name, position in positions():
        variant = position.game.name, position.parameters
        if variant not in warm:
            warm.add(variant)
            solve(position, SolverLimits(nodes=1), trial=0)
        began = perf_counter()
        solution = solve(position, SolverLimits(memory=MEMORY, nodes=NODES), clock=perf_counter, trial=0)
        took = perf_counter() - began
        seconds += took
        solved.append(solution)
        plies = "" if solution.plies is None else solution.plies
        print(
            f"{name:>24}  {solution.result:7} {plies:>6} {solution.refuted:8} {solution.nodes:9} "
            f"{solution.positions:10} {took:8.2f}",
            flush=True,
        )
    print(f"solving: {_total(solved)}, {seconds:.1f} s")


def _total(solved: list[Solution]) -> str:
    decided = sum(solution.result != Result.UNKNOWN for solution in solved)
    nodes = sum(solution.nodes for solution in solved)
    return f"{decided} of {len(solved)} decided, {nodes} nodes"
