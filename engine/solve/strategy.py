"""What the winner plays against everything, from searches that know which positions are lost."""

from collections.abc import Callable

from engine.games.interface import LOST, Kernel, Position, State, Successor
from engine.solve.acyclic import Prover
from engine.solve.cyclic import CyclicProver
from engine.solve.forced_wins import Deepening
from engine.solve.solver import Result, Solution


class NoStrategy(Exception):
    """A strategy that cannot be written down. ``str(error)`` is a sentence that says why."""


INTERPRETED_NODES = 1 << 14
"""A win that took no more nodes and positions than these is followed interpreted, in a second or two: compiling takes
ten times as long."""

Choose = Callable[[Position, float], tuple[Successor, float]]
"""Returns a winning move in a position that is won within so many plies and one, and within how many it wins then."""

ENDLESS = float("inf")
"""Plies where their number does not matter: play cannot go round."""

MIN_NODES = 1 << 20
"""Nodes that are spent, if need be, on a proof of a win in games that can go round: about ten seconds, compiled."""

TIMES_NODES = 4
"""So many times the nodes of the search that has found the win are spent at most."""


def strategy(position: Position, solution: Solution, *, memory: int, most: int) -> dict[str, str]:
    """Return a winning move for every position in which the winner is to move, by their texts.

    The solution is the position's. Raises `NoStrategy` where it is no win, beyond ``most`` positions, and where play
    can go on for ever while no bound on the length of the win is found.
    """
    if solution.result not in (Result.FIRST, Result.SECOND):
        raise NoStrategy(f"the result is {solution.result}; only a win has a strategy that can be written down")
    kernel = position.kernel(compile=solution.nodes + solution.positions > INTERPRETED_NODES)
    bound: float = ENDLESS
    if solution.plies is not None:
        bound, choose = solution.plies, _by_length(kernel, memory)
    elif kernel.rules.plies_left is not None:
        choose = _by_value(kernel, memory)
    else:
        prover = CyclicProver(kernel, memory=memory)
        prover.search(max(MIN_NODES, TIMES_NODES * solution.nodes))
        if prover.within is None:
            raise NoStrategy("the length of the win is not known; without it play might go round for ever")
        bound, choose = prover.within, _by_proof(prover, kernel, memory)
    winner = (Result.FIRST, Result.SECOND).index(solution.result)
    return _follow(position, winner, choose, bound, most)


def _follow(position: Position, winner: int, choose: Choose, bound: float, most: int) -> dict[str, str]:
    """Play every move of the loser and, for the winner, one that wins within what is left of the bound.

    Where a position is come to again with less left, a shorter win takes the place of the one that was chosen: so what
    is left shrinks along every line of play, and none goes round.
    """
    moves: dict[str, str] = {}
    bounds: dict[str, float] = {}
    open_ones = [(position, bound)]
    while open_ones:
        at, bound = open_ones.pop()
        text = at.text()
        if at.verdict() is not None or (text in bounds and bounds[text] <= bound):
            continue
        if at.turn != winner:
            bounds[text] = bound
            open_ones += [(successor.position, bound - 1) for successor in at.successors()]
        else:
            best, plies = choose(at, bound - 1)
            moves[text], bounds[text] = best.move, plies + 1
            open_ones.append((best.position, plies))
        if len(bounds) > most:
            raise NoStrategy(f"it takes more than {most} positions")
    return moves


def _by_length(kernel: Kernel, memory: int) -> Choose:
    """Choose the move after which the loser loses soonest."""
    deepening = Deepening(kernel, memory=memory)

    def choose(position: Position, bound: float) -> tuple[Successor, float]:
        successors = list(position.successors())
        return next(
            (successor, plies)
            for plies in range(int(bound) + 1)
            for successor in successors
            if deepening.loses(_state(successor, kernel), plies)
        )

    return choose


def _by_proof(prover: CyclicProver, kernel: Kernel, memory: int) -> Choose:
    """Choose the move with the shortest proof, or the shortest win where the table has lost a proof."""
    by_length = _by_length(kernel, memory)

    def choose(position: Position, bound: float) -> tuple[Successor, float]:
        best: tuple[Successor, float] | None = None
        for successor in position.successors():
            plies = prover.lost_within(_state(successor, kernel))
            if plies is not None and plies <= (bound if best is None else best[1] - 1):
                best = successor, plies
        return by_length(position, bound) if best is None else best

    return choose


def _by_value(kernel: Kernel, memory: int) -> Choose:
    """Choose the first move that wins, however long it takes."""
    prover = Prover(kernel, memory=memory)

    def choose(position: Position, bound: float) -> tuple[Successor, float]:
        lost = (one for one in position.successors() if prover.settle(_state(one, kernel)) == LOST)
        return next(lost), bound

    return choose


def _state(successor: Successor, kernel: Kernel) -> State:
    return successor.position.kernel(compile=kernel.compiled).state
