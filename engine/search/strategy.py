"""What the winner plays against everything, from searches that know which positions are lost."""

from collections.abc import Callable

from engine.game import Kernel, Position
from engine.search.forced import Deepening
from engine.search.prover import Prover
from engine.search.solving import Result, Solution


class NoStrategy(Exception):
    """A strategy that cannot be written down. ``str(error)`` is a sentence that says why."""


Loses = Callable[[Position, int], bool]
"""Tells whether the side to move in a position loses within so many plies."""


def strategy(position: Position, solution: Solution, *, memory: int, most: int) -> dict[str, str]:
    """Return a winning move for every position in which the winner is to move, by their texts.

    The solution is the position's. Raises `NoStrategy` where it is no win, where its length is not known and play can
    go on for ever, and beyond ``most`` positions.
    """
    if solution.result not in (Result.FIRST, Result.SECOND):
        raise NoStrategy(f"the result is {solution.result}; only a win has a strategy that can be written down")
    kernel = position.kernel()
    if solution.plies is not None:
        loses = _by_length(kernel, memory)
    elif hasattr(kernel.rules, "plies_left"):
        loses = _by_value(kernel, memory)
    else:
        raise NoStrategy("the length of the win is not known; without it play might go round for ever")
    winner = (Result.FIRST, Result.SECOND).index(solution.result)
    return _follow(position, winner, loses, solution.plies, most)


def _follow(position: Position, winner: int, loses: Loses, plies: int | None, most: int) -> dict[str, str]:
    """Play every move of the loser and, for the winner, one after which the loser loses soonest."""
    moves: dict[str, str] = {}
    seen: set[str] = set()
    open_ones = [position]
    while open_ones:
        at = open_ones.pop()
        text = at.text()
        if text in seen or at.verdict() is not None:
            continue
        seen.add(text)
        if len(seen) > most:
            raise NoStrategy(f"it takes more than {most} positions")
        successors = list(at.successors())
        if at.turn != winner:
            open_ones += [successor.position for successor in successors]
            continue
        best = next(
            successor for left in range((plies or 0) + 1) for successor in successors if loses(successor.position, left)
        )
        moves[text] = best.move
        open_ones.append(best.position)
    return moves


def _by_length(kernel: Kernel, memory: int) -> Loses:
    deepening = Deepening(kernel, memory=memory)
    return lambda position, plies: deepening.loses(position.kernel(compile=kernel.compiled).state, plies)


def _by_value(kernel: Kernel, memory: int) -> Loses:
    prover = Prover(kernel, memory=memory)
    return lambda position, _: prover.is_lost(position.kernel(compile=kernel.compiled).state)
