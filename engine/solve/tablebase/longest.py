"""The longest win of a variant: a position in which the side to move wins, and the other one holds out for longest."""

from dataclasses import replace
from typing import NamedTuple

from engine.games.gipf.position import GipfPosition
from engine.games.gipf.rules import State
from engine.games.interface import Kernel, Position
from engine.solve.layered.solver import Layers
from engine.solve.layered.store import Name
from engine.solve.tablebase.verification import Place, layers_up_to, position_at


class LongestWin(NamedTuple):
    """A position of a variant, and after how many plies the side to move wins in it; no other win takes longer."""

    position: Position
    plies: int


def longest_win(start: Position, kernel: Kernel, layers: Layers, largest: Name) -> LongestWin | None:
    """Return the first one of the layers up to one, in the order of layers and places; None where nobody wins at all.

    The layers have to be there. Positions count whether games of the variant come to them or not. Reads all values of
    those layers that may have it: 20 million take a third of a second.
    """
    assert isinstance(start, GipfPosition)
    best, found = 0, None
    for name in sorted(layers_up_to(largest), key=lambda name: -layers.longest(name)):
        if 0 < layers.longest(name) < best:  # a layer of which nothing is told is looked at
            continue
        values = layers.values(name)
        top = max((value for value in set(values) if value and value % 2 == 0), default=0)
        if top > best:
            best, found = top, Place(name, values.index(top))
    if found is None:
        return None
    state = position_at(kernel, found)
    assert state is not None
    return LongestWin(replace(start, state=_fitting(start, state, found.layer)), best - 1)


def _fitting(start: GipfPosition, state: State, layer: Name) -> State:
    """Give the pieces of the side to move, which are white, to black where white does not have so many."""
    white, black = start.variant[2:]
    if layer[0] <= white and layer[1] <= black:
        return state
    return State(state.black, state.white, state.black_reserve, state.white_reserve, 1)
