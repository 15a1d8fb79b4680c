"""The rules that search functions read by global name, their defaults, and scores.

`engine.games.kernels.bind` binds the names to the rules of a kernel. `engine.games.interface.Rules` describes them.

A score is an evaluation, or a proven win or loss in a number of plies.
"""

from collections.abc import Callable
from math import exp

from engine.compiling.binding import UNBOUND, Numbers
from engine.games.interface import DRAWN, EVALUATION_LIMIT, MINE, THEIRS, WIN, WON, Arena, Generate, Index, State

WORDS: int = UNBOUND
load: Callable[[Arena, int], State] = UNBOUND
store: Callable[[Arena, int, State, int], None] = UNBOUND
children: Generate = UNBOUND
verdict: Callable[[State], int] = UNBOUND
evaluate: Callable[[State], int] = UNBOUND
hash_of: Callable[[State], int] = UNBOUND

HAS_LAYERS: bool = UNBOUND
MARGIN: int = UNBOUND
BREADTH: int = UNBOUND

KINDS = 1 << 12
"""Number of kinds of moves: the low bits of `kind_of` that are used. A power of two."""


def evaluate_children(state: State, first: int, values: Numbers) -> bool:
    """Write the values of all children and return True. By default False: children are evaluated one by one."""
    return False


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the children that quiescence search tries. By default none."""
    return first


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children that include a best one. By default all children."""
    return children(state, arena, first)


def can_still_win(state: State) -> int:
    """Tell which sides may still win. By default both."""
    return MINE + THEIRS


def least_plies(state: State, winning: bool) -> int:
    """Return the least plies to a win, or to a loss, of the side to move. By default 0."""
    return 0


def canonical(state: State) -> State:
    """Return the representative of all symmetric positions. By default the position itself."""
    return state


def layer_of(state: State) -> tuple[int, int]:
    """Return the layer of a position. By default the same one for all."""
    return 0, 0


def place_in_layer(state: State, index: Index) -> int:
    """Return the place of a position in its layer. By default 0."""
    return 0


def kind_of(state: State, child: State) -> int:
    """Return the kind of the move to a child. By default the same one for all."""
    return 0


DRAW = 0
INFINITY = WIN + 1

LOGIT = 150.0
"""Score of a winning probability of one logit: 73 of 100 games. The evaluation of GIPF was trained with it."""


def end_score(outcome: int, ply: int) -> int:
    """Return the score of a finished game, ``ply`` plies from the root."""
    if outcome == DRAWN:
        return DRAW
    return WIN - ply if outcome == WON else ply - WIN


def is_open(score: int) -> bool:
    """Tell whether a score proves neither a win nor a loss."""
    return -EVALUATION_LIMIT <= score <= EVALUATION_LIMIT


def shift_score(score: int, plies: int) -> int:
    """Return a score as it is ``plies`` plies earlier: a proven win or loss is so much further away."""
    if score > EVALUATION_LIMIT:
        return score - plies
    if score < -EVALUATION_LIMIT:
        return score + plies
    return score


def expected_points(score: int) -> float:
    """Return the expected points at a score: 1 for a proven win, 0 for a proven loss, 0.5 for an even position."""
    if not is_open(score):
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + exp(-score / LOGIT))
