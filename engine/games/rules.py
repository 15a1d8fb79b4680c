"""The rules of a game as functions over integers, for search, solver and perft: `Rules`, `LayerRules` and `Kernel`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.compiling.binding import Numbers, zeros

SCRATCH = 64
"""Numbers after its results that `Rules.evaluate_children` may overwrite."""

UNDECIDED, LOST, DRAWN, WON = 0, 1, 2, 3
"""Verdicts on a position, for the side to move."""

MINE, THEIRS = 1, 2
"""Sides that can still win: the side to move, and the other side."""

EVALUATION_LIMIT = 1_000_000
"""Upper bound of evaluations. Larger values are proven wins, smaller ones than its negative are proven losses."""

WIN = EVALUATION_LIMIT + 1000
"""Value of a finished game that is won. A win in N plies has the value WIN - N, a loss in N plies N - WIN."""

State = Any
"""A position as integers: a NamedTuple of each game. Its type is Any, since search and solver are written once for all
games, and numba infers the types of each copy."""

Arena = Numbers
"""A sequence of positions of `Rules.WORDS` numbers each. Interpreted rules use a list of integers of any width,
compiled rules an int64 array."""

Index = Any
"""Tables for functions of `LayerRules`: a NamedTuple of each game."""

Generate = Callable[[State, Arena, int], int]
"""Writes positions into an arena from a place on, and returns the place after the last one. Raises OverflowError if the
arena is too small; it never writes outside."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules:
    """The rules of a game on one board, as functions over integers. All are compiled, or all are interpreted.

    A new game begins here. Its rules are plain functions in modules of their own, which read the constants of a board
    by global name. `engine.compiling.binding.bind_fields` makes `Rules` from them, or a subclass with more functions of
    the game. ``tests/games/stones.py`` is a whole game in one file. The tests in its folder check every game against
    this description.

    Search and solver read these functions by name. Functions with a default are optional, and make search and solver
    faster.
    """

    label: str
    """Identifies the rules of a board: letters, digits and underscores."""
    WORDS: int
    """Numbers of a position in an arena."""
    load: Callable[[Arena, int], State]
    """``load(arena, at)`` returns the position in a place of an arena."""
    store: Callable[[Arena, int, State, int], None]
    """``store(arena, at, state, value)`` writes a position and a number into a place. The number is for the game; other
    callers pass 0."""
    children: Generate
    """``children(state, arena, first)`` writes the positions after legal moves, each once and always in the same order.
    There are none if the game is over. Returns their end."""
    perft: Callable[[State, int, bool, Arena, int], int]
    """``perft(state, depth, unique, arena, first)`` counts the leaves of the tree of moves, for a depth of at least 1.
    With ``unique``, moves of a node to the same position count once. Raises OverflowError as `children` does."""
    verdict: Callable[[State], int]
    """One of `UNDECIDED`, `LOST`, `DRAWN`, `WON`, for the side to move."""
    evaluate: Callable[[State], int]
    """The value for the side to move, if the game is not over. An evaluation lies within +-`EVALUATION_LIMIT`. A
    certain win has the value `WIN` minus the plies in which it is reached at the latest, a certain loss the
    negative."""
    hash_of: Callable[[State], int]
    """A hash of everything that the rules depend on, 0 to 2**62 - 1. Compiled and interpreted hashes are equal."""

    evaluate_children: Callable[[State, int, Numbers], bool] | None = None
    """``evaluate_children(state, first, values)`` evaluates all children faster than one by one, and returns True.

    It writes a number for each child, in the order of `children` and from place ``first`` of ``values`` on. The number
    is twice the child's value for the side that moves to it, plus 1 if the value is exact. An exact value is 0 for a
    draw, or counts the exact plies to the end. Other values may be coarser than those of `evaluate`. The next `SCRATCH`
    numbers may be overwritten. Only for games that cannot repeat a position."""
    tactical_children: Generate | None = None
    """Writes tactical children, such as captures. Quiescence search tries them before it evaluates the position."""
    candidates: Generate | None = None
    """Writes children that include a best one, also by the length of the game. Promising ones come first."""
    can_still_win: Callable[[State], int] | None = None
    """Tells which sides may still win: `MINE`, `THEIRS`, their sum, or 0 for a certain draw. A side that it leaves out
    certainly cannot win."""
    least_plies: Callable[[State, bool], int] | None = None
    """``least_plies(state, winning)`` returns a lower bound of the plies in which the side to move wins (``winning``),
    or loses."""
    canonical: Callable[[State], State] | None = None
    """Returns the representative of all symmetric positions."""
    kind_of: Callable[[State, State], int] | None = None
    """``kind_of(state, child)`` returns a number of the move to a child, the same for this move in other positions."""
    plies_left: Callable[[State], int] | None = None
    """Returns an upper bound of the remaining plies. Only for games that cannot go on for ever."""
    MARGIN: int = 0
    """Largest usual change of the evaluation by a quiet move; the right to move is worth half of it. The search is
    selective only with a margin; 0 for none."""
    BREADTH: int = 0
    """Number of children that a selective search tries, in the order of their values, unless all lose; 0 for all."""
    HAS_LAYERS: bool = False
    """Whether these are `LayerRules`."""
    layers: Callable[[], "LayerRules"] | None = None
    """Returns the `LayerRules` of this board. Only for games with numbered positions."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerRules(Rules):
    """Rules of a game whose positions form layers. No move leads to a larger layer.

    A layer has two numbers, first that of the side to move. Each of its positions has a place in it. The retrograde
    analysis of `engine.solve.layer_values` uses them.
    """

    MOVE_NUMBERS: int
    """Numbers of a move in the list that `moves_from` writes."""
    WEIGHT: int
    """The weight of a move."""
    index: Index
    layer_of: Callable[[State], tuple[int, int]]
    """Returns the layer of a position."""
    places: Callable[[int, int, Index], int]
    """``places(mine, theirs, index)`` returns the number of places of a layer."""
    place_in_layer: Callable[[State, Index], int]
    """``place_in_layer(state, index)`` returns the place of a position."""
    number_at: Callable[[int, int, int, Index], int]
    """``number_at(place, near, theirs, index)`` returns the number of a place for the next two functions. ``near`` is
    the number of an earlier place of the layer, or 0."""
    moves_from: Callable[[int, int, int, int, Index, Arena, Numbers], tuple[int, int, int]]
    """``moves_from(place, near, mine, theirs, index, arena, found)`` returns the verdict on a place and two numbers of
    its moves: those that `origins_of` can take back, and the others. It lists the others in ``found``."""
    origins_of: Callable[[int, int, int, int, Index, Numbers], int]
    """``origins_of(place, near, mine, theirs, index, found)`` lists the places of layer (theirs, mine) from which such
    moves lead to a place, each with a weight. Returns their number."""


class Kernel(NamedTuple):
    """A position as integers, and the rules of its board, for search, perft and solver."""

    rules: Rules
    compiled: bool
    state: State

    def arena(self, places: int) -> Arena:
        """Return an arena of a number of places."""
        size = places * self.rules.WORDS
        return zeros("q", size) if self.compiled else [0] * size

    def evaluate(self) -> int:
        """Return the value for the side to move. If the game is over, it is +- `WIN`, or 0 for a draw."""
        ends = {LOST: -WIN, DRAWN: 0, WON: WIN}
        verdict = self.rules.verdict(self.state)
        return ends[verdict] if verdict in ends else int(self.rules.evaluate(self.state))


@dataclass(frozen=True)
class Patterns:
    """The patterns of a variant, for the training of tables that evaluate its positions."""

    count: int
    """Number of entries of all tables."""
    entries: Callable[[Sequence[State]], Any]
    """Returns an array with a row for each position: the numbers of its entries. All rows have the same length."""
    file: Callable[[Any, float], bytes]
    """``file(numbers, unit)`` returns the content of a file of tables. The numbers of an entry are its weight, in
    logits of ``unit``, and the factors of `engine.duel.training`. Raises ValueError if they are too large."""
