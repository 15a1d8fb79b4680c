"""What search functions read of a game's rules, by global name, with defaults; and the scores that they give.

Scores are evaluations in the middle, and proven wins and losses at both ends, by their number of plies.

`engine.games.kernels.bind` binds all of it to a kernel's rules. `engine.games.interface.Rules` says what each is.
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
"""Only so many low bits of `kind_of` are looked at, as a number of kinds; a power of two."""


def evaluate_children(state: State, first: int, values: Numbers) -> bool:
    """Write what all children are worth, and return True: not known all at once, but one by one, hence False."""
    return False


def tactical_children(state: State, arena: Arena, first: int) -> int:
    """Write the children to be looked at before a position is judged: none."""
    return first


def candidates(state: State, arena: Arena, first: int) -> int:
    """Write children among which one is as good as the best: all of them."""
    return children(state, arena, first)


def can_still_win(state: State) -> int:
    """Tell who may still win: both."""
    return MINE + THEIRS


def least_plies(state: State, winning: bool) -> int:
    """Return a number of plies before which the side to move does not win, or does not lose: none."""
    return 0


def canonical(state: State) -> State:
    """Return the position that stands for all symmetric ones: itself."""
    return state


def layer_of(state: State) -> tuple[int, int]:
    """Return the layer that a position lies in: all are in one."""
    return 0, 0


def place_in_layer(state: State, index: Index) -> int:
    """Return the place of a position in its layer: none has one."""
    return 0


def kind_of(state: State, child: State) -> int:
    """Return a number that children share which come about by the same move elsewhere: one for all."""
    return 0


DRAW = 0
INFINITY = WIN + 1

LOGIT = 150.0
"""A score of so much is taken to win by one logit: 73 of 100 games. The evaluation of GIPF was trained so."""


def ended(outcome: int, ply: int) -> int:
    """Return the score of a finished game, ``ply`` plies from the root."""
    if outcome == DRAWN:
        return DRAW
    return WIN - ply if outcome == WON else ply - WIN


def is_open(score: int) -> bool:
    """Tell whether a score proves neither a win nor a loss."""
    return -EVALUATION_LIMIT <= score <= EVALUATION_LIMIT


def moved(score: int, plies: int) -> int:
    """Return a score with the end of the game, if it proves one, so many plies further from where it is counted."""
    if score > EVALUATION_LIMIT:
        return score - plies
    if score < -EVALUATION_LIMIT:
        return score + plies
    return score


def expected_points(score: int) -> float:
    """Return the points that a score promises: 1 for a proven win, 0 for a proven loss, 0.5 where nobody is ahead."""
    if not is_open(score):
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + exp(-score / LOGIT))
