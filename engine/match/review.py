"""Reviews the moves of a record: what would have been best, what each move has lost, and what is proven.

Each position is searched with the same number of nodes (`Evaluator`), and where that proves nothing the solver has a
part of that number (`engine.solve.solver`). A move is judged by the position that it leads to, and so is the best one:
both are searched from there, with the same nodes. Proofs of the solver hold for the board
alone, without earlier positions.
"""

from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import NamedTuple

from engine.games.interface import History, Kernel, Outcome, Position
from engine.games.kernels import KernelSource
from engine.match.verification import Summary
from engine.search.capabilities import expected_points
from engine.search.searcher import (
    Searcher,
    SearchLimits,
    SearchResult,
    Stop,
    Tablebase,
    key_of,
    perfect_result,
    search_kernels,
    with_best_kernel,
)
from engine.solve.solver import Result, SolverLimits, solve, solver_kernels
from engine.solve.tablebase import whole_tablebase_of

TABLE_MEGABYTES = 32
"""Size of the table of a search."""

SOLVER_BYTES = 256 << 20
"""Memory of the solver, which few nodes do not use up."""

SOLVER_SHARE = 10
"""The solver has one in so many of a search's nodes, each of which takes it some sixty times as long."""

MISTAKE, BLUNDER = 0.1, 0.2
"""A move that gives away so many points (`engine.search.capabilities.expected_points`) is a mistake, or a blunder."""

SIDES = (Result.FIRST, Result.SECOND)
POINTS = {1: 1.0, 0: 0.5, -1: 0.0}
"""Points of proven results."""


class Evaluator:
    """Searches positions of one variant, one by one, each within a number of nodes and to the end of a depth.

    Nothing is carried over from one position to the next. The result depends on the position, on the positions before
    it in the game and on the number of nodes alone: neither on the machine, nor on whether the search is compiled.
    """

    def __init__(
        self,
        position: Position,
        *,
        clock: Callable[[], float],
        compiling: Callable[[], None] = lambda: None,
        tablebase: Tablebase | None = None,
        kernels: KernelSource | None = None,
    ) -> None:
        """Make one for the variant of a position, which searches interpreted until compiled code is there.

        ``clock`` gives seconds from any beginning; ``compiling`` is called when another process begins to compile.
        Positions of a ``tablebase`` are not searched. ``kernels`` are those of the board for searching.
        """
        self._kernels = search_kernels(position, compiling=compiling) if kernels is None else kernels
        self._clock = clock
        self._tablebase = tablebase
        self.nodes = 0
        """Positions looked at so far, one at least for each that was searched."""

    def evaluate(self, position: Position, earlier: Collection[int], nodes: int) -> SearchResult | None:
        """Search a position in which the game goes on; return None where it has too many moves to look at.

        ``earlier`` holds the keys (`engine.search.searcher.key_of`) of the positions before it. Nodes that do not reach
        for one ply are exceeded.
        """

        def search(limits: SearchLimits) -> SearchResult:
            def think(kernel: Kernel, stop: Stop) -> SearchResult:
                searcher = Searcher(kernel, megabytes=TABLE_MEGABYTES)
                return searcher.think(kernel.state, earlier, limits, clock=self._clock, stop=stop)

            thought = with_best_kernel(self._kernels, position, think)
            self.nodes += max(1, thought.nodes)
            return thought

        limits = SearchLimits(nodes=nodes)
        known = () if self._tablebase is None else self._tablebase.probe(position, earlier)
        try:
            if known:
                return perfect_result(known, limits, search)
            thought = search(limits)
            if thought.score is None:
                thought = search(SearchLimits(depth=1))
        except OverflowError:
            self.nodes += 1
            return None
        return thought


class Mark(StrEnum):
    """A fault of a move."""

    MISTAKE = "mistake"
    """It gives away `MISTAKE` or more, or it allows a proven loss where another move does not."""
    BLUNDER = "blunder"
    """It gives away `BLUNDER` or more."""
    MISSED_WIN = "missed win"
    """A win was proven, and none is proven after the move."""


class MoveValue(NamedTuple):
    """The known value of a position for one side: a score, or the proven result."""

    score: int | None
    """A piece of GIPF is worth 100; None where the result is proven."""
    result: int | None
    """1 a proven win, 0 a proven draw, -1 a proven loss; None where nothing is proven."""
    plies: int | None
    """After how many plies the proven win or loss comes, at the latest; None where that is not known."""
    depth: int
    """Plies that were searched; 0 where the rules or the solver have told."""

    def before_move(self) -> "MoveValue":
        """Return the same for the other side, one ply before."""
        return MoveValue(
            None if self.score is None else -self.score,
            None if self.result is None else -self.result,
            None if self.plies is None else self.plies + 1,
            self.depth,
        )

    @property
    def points(self) -> float:
        """The points that the side can expect, 0 to 1."""
        return expected_points(self.score or 0) if self.result is None else POINTS[self.result]


class ReviewedMove(NamedTuple):
    """A move of a record, and what the engine makes of it. Unknown values are None."""

    ply: int
    """The number of the move, from 1."""
    side: int
    move: str
    best: str | None
    """The best move: the engine's, or the one that was played where that is no worse."""
    best_worth: MoveValue | None
    """The value of the best move, for the side that moves."""
    line: tuple[str, ...]
    """The best line that the search has found; it begins with the best move, or is empty."""
    worth: MoveValue | None
    """The value of the move, for the side that moves."""

    @property
    def loss(self) -> int | None:
        """How much less the move is worth than the best one, 0 or more; None where a result alone is known."""
        if self.best_worth is None or self.worth is None:
            return None
        if self.best_worth.score is None or self.worth.score is None:
            return 0 if self.best_worth.result == self.worth.result else None
        return self.best_worth.score - self.worth.score

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The faults of the move."""
        if self.best_worth is None or self.worth is None or self.best == self.move:
            return ()
        found = []
        if self.best_worth.result == 1 and self.worth.result != 1:
            found.append(Mark.MISSED_WIN)
        given_away = self.best_worth.points - self.worth.points
        if given_away >= BLUNDER:
            found.append(Mark.BLUNDER)
        elif given_away >= MISTAKE or self.worth.result == -1 != self.best_worth.result:
            found.append(Mark.MISTAKE)
        return tuple(found)


def review(
    summary: Summary,
    nodes: int,
    *,
    clock: Callable[[], float],
    compiling: Callable[[], None] = lambda: None,
    among: range | None = None,
) -> Iterator[ReviewedMove]:
    """Review each move of a record in order, with so many nodes for each position.

    ``among`` are the numbers of the moves to review, from 1 and in one piece, None for all; a move's review does not
    depend on it.

    The same record and nodes give the same review on every machine that has the tablebase of the variant, and on every
    one that has it not. ``clock`` gives seconds from any beginning; ``compiling`` is called when another
    process begins to compile.
    """
    start = summary.header.position
    evaluator = Evaluator(start, clock=clock, compiling=compiling, tablebase=whole_tablebase_of(start))
    reviewer = _Reviewer(summary, nodes, evaluator, solver_kernels(start))
    wanted = range(1, summary.history.plies + 1) if among is None else among
    keys: list[int] = []
    for before, after in pairwise(accumulate(summary.history.moves, History.after, initial=History.begin(start))):
        if after.plies >= wanted.stop:
            return
        if after.plies in wanted:
            yield reviewer.move(before, after, keys)
        keys.append(key_of(before.position))


class _Node(NamedTuple):
    """A position of the match, or one beside it."""

    worth: MoveValue | None
    """For the side to move."""
    thought: SearchResult | None


class _Reviewer:
    """Judges moves in order: the position after a move is the position before the next one."""

    def __init__(self, summary: Summary, nodes: int, evaluator: Evaluator, kernels: KernelSource) -> None:
        self._move_limit = summary.header.move_limit
        self._nodes = nodes
        self._evaluator = evaluator
        self._kernels = kernels
        self._reached: _Node | None = None  # the node of the position that the last move has led to

    def move(self, before: History, after: History, keys: list[int]) -> ReviewedMove:
        """Review the move that leads from one position to another; moves come in order.

        ``keys`` are those of the positions before both.
        """
        node = self._reached or self._node(before, keys)
        later = [*keys, key_of(before.position)]
        self._reached = self._node(after, later)
        played = _Choice.of(after, self._reached)
        best = None
        if node.thought is not None and node.worth is not None and played.worth is not None:
            if node.worth.result == -1 and played.result is None:  # whatever is played loses
                played = played._replace(worth=node.worth)
            best = self._best(before, node.worth, node.thought, played, later)
            if best is not None and best.move == played.move:
                played = best
        line = node.thought.pv(before.position) if node.thought is not None and best is not None else []
        return ReviewedMove(
            after.plies,
            before.position.turn,
            played.move,
            None if best is None else best.move,
            None if best is None else best.worth,
            tuple(line) if best is not None and line[:1] == [best.move] else (),
            played.worth,
        )

    def _best(
        self, before: History, worth: MoveValue, thought: SearchResult, played: "_Choice", keys: list[int]
    ) -> "_Choice | None":
        """Return the better move of the engine's move and the played move; None if a value is unknown.

        If neither move keeps a proven result, return a move that keeps it.
        """
        first = played
        move = thought.move(before.position)
        play = before.position.play
        if played.move != move and play(played.move).key != play(move).key:
            after = before.after(move)
            first = _Choice.of(after, self._node(after, keys))
        if thought.plies_to_end is not None or worth.result == -1:  # what the best move leads to is proven
            first = first._replace(worth=worth)
        if first.worth is None or played.worth is None:
            return None
        best = played if first.move != played.move and _at_least(played.worth, first.worth) else first
        kept = [each.result for each in (first, played) if each.result is not None]
        if worth.result is None or worth.result <= max(kept, default=-2):
            return best
        return self._keeping(before, worth.result)

    def _keeping(self, before: History, result: int) -> "_Choice | None":
        """Return the first move that keeps a result which the solver has proven."""
        for move in before.position.legal_moves:
            after = before.after(move)
            choice = _Choice.of(after, _Node(self._over(after) or self._solved(after.position), None))
            if choice.result == result:
                return choice
        return None

    def _node(self, history: History, keys: list[int]) -> _Node:
        """Find out what a position is worth for the side to move."""
        known = self._over(history)
        if known is not None:
            return _Node(known, None)
        thought = self._evaluator.evaluate(history.position, keys, self._nodes)
        if thought is None or thought.score is None:
            return _Node(self._solved(history.position), thought)
        plies = thought.plies_to_end
        if thought.is_known and plies is None:
            return _Node(MoveValue(None, 0, None, 0), thought)
        if plies is not None:
            return _Node(
                MoveValue(None, 1 if plies > 0 else -1, abs(plies), 0 if thought.is_known else thought.depth), thought
            )
        return _Node(self._solved(history.position) or MoveValue(thought.score, None, None, thought.depth), thought)

    def _over(self, history: History) -> MoveValue | None:
        """Return the value of a position in which the game is over; None for other positions."""
        outcome: Outcome | None = history.outcome(self._move_limit)
        return None if outcome is None else _proven_for(outcome.winner, history.position.turn, 0)

    def _solved(self, position: Position) -> MoveValue | None:
        """Solve a position, if that takes no more nodes than there are."""
        try:
            limits = SolverLimits(memory=SOLVER_BYTES, nodes=max(1, self._nodes // SOLVER_SHARE))
            solution = solve(position, limits, kernels=self._kernels)
        except OverflowError:
            return None
        if solution.result == Result.UNKNOWN:
            return None
        winner = SIDES.index(solution.result) if solution.result in SIDES else None
        return _proven_for(winner, position.turn, solution.within)


class _Choice(NamedTuple):
    """A move, and what it leads to for the side that makes it."""

    move: str
    worth: MoveValue | None

    @classmethod
    def of(cls, after: History, node: _Node) -> "_Choice":
        return cls(after.moves[-1], None if node.worth is None else node.worth.before_move())

    @property
    def result(self) -> int | None:
        return None if self.worth is None else self.worth.result


def _proven_for(winner: int | None, side: int, plies: int | None) -> MoveValue:
    """Return the worth of a proven result for a side."""
    if winner is None:
        return MoveValue(None, 0, None, 0)
    return MoveValue(None, 1 if winner == side else -1, plies, 0)


def _at_least(worth: MoveValue, other: MoveValue) -> bool:
    """Tell whether a move's worth is no less than another's; a win is worth more where it is known to come sooner."""
    if worth.score is not None and other.score is not None:
        return worth.score >= other.score
    if worth.result == other.result == 1 and worth.plies is not None and other.plies is not None:
        return worth.plies <= other.plies
    return worth.points >= other.points
