"""Positions that are evaluated with other weights: the search asks a position for its kernel, and sees only those."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from engine.games.interface import Kernel, Position, State, Successor


class NoWeights(ValueError):
    """A game whose evaluation has no weights to be named."""


def weighed(position: Position, named: Mapping[str, object]) -> Position:
    """Return a position that is evaluated with some weights named, as are those that moves lead to.

    Raises `NoWeights` where its game has none, and ValueError for weights that it does not take.
    """
    weights = position.game.weights
    if weights is None:
        raise NoWeights(f"the evaluation of {position.game.name} has no weights to be named")
    return _weighed(position, weights.reweigher(position.parameters, named))


def _weighed(position: Position, reweigh: Callable[[Kernel], Kernel]) -> Position:
    return cast(Position, _Weighed(position, reweigh))


class _Weighed:
    """A position, but for its kernel."""

    def __init__(self, position: Position, reweigh: Callable[[Kernel], Kernel]) -> None:
        self._position = position
        self._reweigh = reweigh

    def __getattr__(self, name: str) -> Any:
        return getattr(self._position, name)

    def successors(self) -> Iterator[Successor]:
        return map(self._weigh, self._position.successors())

    def resolve(self, move: str) -> Successor:
        return self._weigh(self._position.resolve(move))

    def move_to(self, state: State) -> Successor:
        return self._weigh(self._position.move_to(state))

    def kernel(self, *, compile: bool = True) -> Kernel:
        return self._reweigh(self._position.kernel(compile=compile))

    def _weigh(self, successor: Successor) -> Successor:
        return Successor(successor.move, _weighed(successor.position, self._reweigh))
