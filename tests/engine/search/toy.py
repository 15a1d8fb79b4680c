"""A toy game for tests of the solver: positions are the nodes of any directed graph, cycles and all."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from engine.games.interface import DRAWN, LOST, UNDECIDED, Kernel, Rules

Moves = Sequence[Sequence[int]]
"""The nodes that moves from each node lead to."""


class Node(NamedTuple):
    """A position."""

    number: int


def kernel(moves: Moves, drawn: frozenset[int] = frozenset(), root: int = 0, root_verdict: int | None = None) -> Kernel:
    """Return the game on a graph: a node without moves is lost for the side to move, or drawn."""

    def load(arena: Any, at: int) -> Node:
        return Node(arena[at * 2])

    def store(arena: Any, at: int, state: Node, path: int) -> None:
        arena[at * 2], arena[at * 2 + 1] = state.number, path

    def children(state: Node, arena: Any, first: int) -> int:
        for number, child in enumerate(moves[state.number]):
            if (first + number + 1) * 2 > len(arena):
                raise OverflowError("no room")
            store(arena, first + number, Node(child), number + 1)
        return first + len(moves[state.number])

    def verdict(state: Node) -> int:
        if root_verdict is not None and state.number == root:
            return root_verdict
        if moves[state.number]:
            return UNDECIDED
        return DRAWN if state.number in drawn else LOST

    def hash_of(state: Node) -> int:
        return state.number // 3 * 2654435761 % (1 << 40)  # three nodes each share a hash, on purpose

    rules = Rules(
        label="toy",
        WORDS=2,
        load=load,
        store=store,
        children=children,
        perft=not_to_be_called,
        verdict=verdict,
        evaluate=not_to_be_called,
        hash_of=hash_of,
    )
    return Kernel(rules, False, Node(root))


def not_to_be_called(*_: object) -> int:
    """Stand for a function that a test has no use for."""
    raise AssertionError("the toy game has no such function")


def truth(moves: Moves, drawn: frozenset[int]) -> list[int | None]:
    """Return each node's distance to the end: won in odd numbers of plies, lost in even ones, None for a draw.

    Straight from the definition, by repetition until nothing changes.
    """
    known: list[int | None] = [0 if not to and node not in drawn else None for node, to in enumerate(moves)]
    for distance in range(1, len(moves) + 1):
        found = []
        for node, to in enumerate(moves):
            if known[node] is not None or not to:
                continue
            below = [known[child] for child in to]
            if any(plies == distance - 1 and plies % 2 == 0 for plies in below if plies is not None) or all(
                plies is not None and plies % 2 == 1 for plies in below
            ):
                found.append(node)
        if not found:
            break
        for node in found:
            known[node] = distance
    return known


def explore(
    first: Any, key: Callable[[Any], Hashable], after: Callable[[Any], Iterable[Any]], most: float = float("inf")
) -> tuple[list[Any], list[list[int]]]:
    """Return every position that play from one can reach, and as numbers of these the moves from each of them.

    Raises OverflowError where there are more than so many.
    """
    positions, numbers, moves = [first], {key(first): 0}, []
    for position in positions:
        found = []
        for child in after(position):
            found.append(numbers.setdefault(key(child), len(numbers)))
            if found[-1] == len(positions):
                positions.append(child)
        if len(positions) > most:
            raise OverflowError(f"more than {most} positions can be reached")
        moves.append(found)
    return positions, moves
