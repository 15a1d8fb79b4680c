"""The solver: finds the result of a position with perfect play.

Searches take turns, with portions that double. One finds short forced wins, with their length, in variants of any size
(`engine.solve.forced_wins`). The others find who wins, without the length (`Proof`, `LayeredBackend`).
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from engine.games.interface import DRAWN, LOST, WON, Kernel, Position
from engine.games.kernels import KernelSource, Purpose
from engine.solve import forced_wins, proof_search
from engine.solve.layers import ExactValue, Layers, OutOfMemory, OutOfTime, layer_of
from engine.solve.provers import CyclicProver, Prover
from engine.solve.tablebase import Tablebase


class Result(StrEnum):
    """The result of perfect play. *First* is the side that began the game."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    UNKNOWN = "unknown"


class SolverLimits(NamedTuple):
    """The limits of a solver."""

    memory: int = 1 << 30
    """Approximate bytes for tables and positions."""
    deadline: float | None = None
    """Time on the caller's clock at which the solver stops; None for no deadline."""
    nodes: int | None = None
    """Approximate number of expanded positions of each search; None for no limit."""
    plies: int = forced_wins.ENDLESS
    """Longest win of interest. Longer wins need not be found, and shorter wins need their exact length."""


NO_LIMITS = SolverLimits()
"""No limits of time and nodes, and the default memory."""


class Solution(NamedTuple):
    """The known result of a position, also while it is being solved."""

    result: Result
    plies: int | None
    """The length of the game with perfect play, if the result is a win with a known length."""
    within: int | None
    """An upper bound of the plies to the win, if one is known."""
    refuted: int
    """Number of plies in which neither side can force a win; at first -1."""
    nodes: int
    """Expanded positions of the searches for forced wins and proofs."""
    positions: int
    """Positions of all solved layers."""


FIRST_PORTION = 1 << 8
"""Nodes of the first portion of each search. Each further portion has twice as many."""

TRIAL_NODES, LOADED_TRIAL_NODES = 1 << 9, 1 << 6
"""Interpreted nodes before code is compiled, or before compiled code is loaded: tenths or hundredths of a second."""

LENGTH_NODES = 1 << 18
"""Least compiled nodes for the length of a proven win: some tenths of a second."""

SHORT_NODES = 32
"""Interpreted nodes of a search for a forced win before a tablebase is loaded."""

TABLE_SHARE = 4
"""The table of the search for forced wins has a part of 1 / TABLE_SHARE of the memory."""

SLICE_COMPILED, SLICE_INTERPRETED = 1 << 14, 1 << 8
"""Nodes between two checks of the clock: some tenths of a second."""

PROOF_PORTIONS = 8
"""Compiled nodes of a proof in a game that ends, for each node of the other searches: the proof finds most wins."""

NODE_COST, EARLY_NODE_COST = 4, 64
"""Nodes of the other searches for each node of a proof in a game that can go on for ever. They take equal time. In
early interpreted portions there are more, since most wins are short."""

EARLY_PORTION = 1 << 13
"""Nodes of the last early portion: a second or two."""

LAYERED_FROM = 1 << 17
"""Nodes before layers are solved. They take about as long as compiling the functions of layers: some seconds."""

PLACES_PER_NODE = 1 << 5
"""Places of layers that are solved in about the time of a node."""

PROOF_SHARE = 3
"""If layers are solved, the table of the proof has a part of 1 / PROOF_SHARE of the memory."""

SIGNS = {LOST: -1, DRAWN: 0, WON: 1}
"""Values of verdicts."""


class Proof:
    """Exhaustive and proof-number search for games that end, proof-number search for games that can go on for ever."""

    is_exact = False
    """Whether `within` is the length of the game with perfect play."""
    positions = 0
    """Positions of the solved layers."""

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel. The table has at most ``memory`` bytes."""
        ends = kernel.rules.plies_left is not None
        self.prover = Prover(kernel, memory=memory) if ends else CyclicProver(kernel, memory=memory)
        self._slice = (SLICE_COMPILED if as_compiled else SLICE_INTERPRETED) * (2 if ends else 1)
        proof_portions, early_cost = (PROOF_PORTIONS, NODE_COST) if as_compiled else (1, EARLY_NODE_COST)
        # nodes for each node of the other searches
        self._early_rate: float = proof_portions if ends else 1 / early_cost
        self._rate: float = proof_portions if ends else 1 / NODE_COST
        self._used = 0.0

    @property
    def used(self) -> int:
        """Nodes so far, in nodes of the other searches."""
        return int(self._used)

    @property
    def nodes(self) -> int:
        """Expanded positions."""
        return self.prover.nodes

    @property
    def value(self) -> int | None:
        """The value for the side to move: 1 won, -1 lost, 0 drawn, None while it is not known."""
        return None if self.prover.value is None else SIGNS[self.prover.value]

    @property
    def within(self) -> int | None:
        """An upper bound of the plies to the win, if one is known."""
        return self.prover.within

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for the time of ``portion`` nodes of the other searches, or until ``late`` returns True."""
        prover, before = self.prover, self.prover.nodes
        rate = self._early_rate if portion <= EARLY_PORTION else self._rate
        until = before + int(portion * rate)
        while prover.value is None and not prover.is_exhausted and prover.nodes < until and not late():
            prover.search(min(self._slice, until - prover.nodes))
        self._used += (prover.nodes - before) / rate

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move (``mover``), or the other side, is proven unable to win."""
        return self.prover.cannot_win(mover)


class LayeredBackend:
    """Retrograde analysis of all layers. It waits until the other searches have taken as long as it will take."""

    is_exact = True
    nodes = 0

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and use at most ``memory`` bytes."""
        self._kernel = kernel
        self._memory = memory
        self._name = layer_of(kernel)
        self._waited = 0
        self._layers: Layers | None = None
        self._has_failed = False

    @property
    def used(self) -> int:
        """Positions of the solved layers."""
        return 0 if self._layers is None else self._layers.total(self._name)

    positions = used

    @property
    def value(self) -> int | None:
        """The value for the side to move: 1 won, -1 lost, 0 drawn, None while it is not known."""
        exact_value = self._exact_value()
        return None if exact_value is None else exact_value.result

    @property
    def within(self) -> int | None:
        """The number of plies to the win, if there is one."""
        exact_value = self._exact_value()
        return None if exact_value is None or exact_value.result == 0 else exact_value.plies

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Solve layers with at least ``portion`` positions, or until ``late`` returns True."""
        is_early = self._waited < LAYERED_FROM
        self._waited += portion
        if is_early or self._has_failed:
            return
        try:
            if self._layers is None:
                self._layers = Layers(self._kernel, self._name, memory=self._memory)
            if self._waited * PLACES_PER_NODE < self._layers.places(self._name):
                return
            until = self.used + portion
            for pair in self._layers.missing(self._name):
                if self.used >= until or late():
                    return
                self._layers.solve(pair, late)
        except OutOfTime:
            return
        except (OutOfMemory, OverflowError):
            self._has_failed = True

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether a side is proven unable to win while the value is not known: never in this search."""
        return False

    def _exact_value(self) -> ExactValue | None:
        return None if self._layers is None else self._layers.exact_value(self._kernel.state)


Backend: TypeAlias = Proof | LayeredBackend


def backends(kernel: Kernel, memory: int, *, as_compiled: bool = False) -> list[Backend]:
    """Return the searches for the game of a kernel. Together they use ``memory`` bytes.

    With ``as_compiled``, interpreted searches do the same as compiled ones, up to LAYERED_FROM nodes.
    """
    as_compiled = as_compiled or kernel.compiled
    if not kernel.compiled or kernel.rules.layers is None:
        return [Proof(kernel, memory, as_compiled)]
    proof = memory // PROOF_SHARE
    return [Proof(kernel, proof, as_compiled), LayeredBackend(kernel, memory - proof)]


SOLVING = Purpose("solve", lambda kernel: [forced_wins.FUNCTIONS, proof_search.FUNCTIONS])
"""The searches of the solver."""


def solver_kernels(position: Position, compiling: Callable[[], None] = lambda: None) -> KernelSource:
    """Return the kernels of a position's board for the solver. Costs are nodes.

    ``compiling`` is called when another process begins to compile.
    """
    return KernelSource(position, SOLVING, compile_from=TRIAL_NODES, load_from=LOADED_TRIAL_NODES, compiling=compiling)


def solve(
    position: Position,
    limits: SolverLimits = NO_LIMITS,
    *,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[Solution], None] = lambda solution: None,
    kernels: KernelSource | None = None,
    tablebase: Tablebase | None = None,
) -> Solution:
    """Solve a position within limits. Without a limit of time or nodes, only a result ends the search.

    ``clock`` returns seconds. ``progress`` is called after every portion. ``kernels`` are those of `solver_kernels`;
    when they have compiled code, an interpreted search starts again. If there is no forced win within SHORT_NODES, the
    ``tablebase`` is probed.

    With at most `LAYERED_FROM` nodes, the result is the same on every machine, compiled or not.
    Raises OverflowError for a position with too many moves.
    """
    kernels = solver_kernels(position) if kernels is None else kernels
    interpreted = position.kernel(compile=False)
    if tablebase is not None:
        solver = _Solver(interpreted, position.turn, limits, clock)
        solver.deepen(SHORT_NODES)
        exact_value = None if solver.finished else tablebase.exact_value(interpreted.state)
        if exact_value is not None:
            return solver.known(exact_value)
    kernel = kernels.kernel_for(position)
    if not kernel.compiled:
        solver = _Solver(kernel, position.turn, limits, clock, as_compiled=limits.nodes is not None)
        solution = solver.run(progress, kernels)
        if not solver.is_given_up:
            return solution
    return _Solver(position.kernel(), position.turn, limits, clock).run(progress)


def is_answer(solution: Solution, plies: int = forced_wins.ENDLESS) -> bool:
    """Tell whether a solution is complete, as far as wins in at most ``plies`` plies are concerned."""
    if plies == forced_wins.ENDLESS:
        return solution.result != Result.UNKNOWN
    return solution.result == Result.DRAW or solution.plies is not None or solution.refuted >= plies


def warm_up(position: Position) -> None:
    """Compile everything that the searches call, or load it from the cache. Compiling takes seconds."""
    kernel = position.kernel()
    arena = kernel.arena(forced_wins.ForcedWinSearch.FIRST_PLACES)
    for at in range(min(kernel.rules.children(kernel.state, arena, 0), 1)):
        kernel.rules.verdict(kernel.rules.load(arena, at))
    forced_wins.ForcedWinSearch(kernel, memory=0).warm_up()
    Proof(kernel, 0, as_compiled=True).prover.warm_up()


class _Solver:
    """All searches, and their common result."""

    def __init__(
        self,
        kernel: Kernel,
        turn: int,
        limits: SolverLimits,
        clock: Callable[[], float],
        *,
        as_compiled: bool = False,
    ) -> None:
        as_compiled = as_compiled or kernel.compiled
        table = limits.memory // TABLE_SHARE
        self._deepening = forced_wins.ForcedWinSearch(kernel, memory=table)
        self._backends = backends(kernel, limits.memory - table, as_compiled=as_compiled)
        self.limits = limits
        self._portion = FIRST_PORTION
        self._length_nodes = LENGTH_NODES if as_compiled else FIRST_PORTION
        self._clock = clock
        self._turn = turn
        self._speed = 0.0  # nodes a second of the search for forced wins
        self._kernels: KernelSource | None = None
        self._spent = 0
        self.is_given_up = False
        """Whether the search has ended because compiled code is ready."""

    def run(self, progress: Callable[[Solution], None], kernels: KernelSource | None = None) -> Solution:
        """Search until the result is known or a limit is reached.

        An interpreted search also ends when ``kernels`` have compiled code.
        """
        self._kernels = kernels
        while not (self.finished or self._give_up()):
            self.deepen(self._portion)
            for search in self._backends:
                if not (self.finished or self._give_up()):
                    search.search(self._within_limit(self._portion, search.used), self._ends)
                    self._rule_out(search)
            progress(self.solution())
            self._portion *= 2
        if not self._give_up():
            self._find_length()
        return self.solution()

    def _give_up(self) -> bool:
        if self._kernels is not None and not self.is_given_up:
            cost = self._used - self._spent
            self._spent += cost
            self.is_given_up = self._kernels.spend(cost)
        return self.is_given_up

    def known(self, exact_value: ExactValue) -> Solution:
        """Return the solution for the value of a tablebase."""
        plies = exact_value.plies if exact_value.result else None
        result = self._winner(exact_value.result > 0) if exact_value.result else Result.DRAW
        return self.solution()._replace(result=result, plies=plies, within=plies)

    def _rule_out(self, search: Backend) -> None:
        """Exclude wins that a proof has refuted from the search for forced wins."""
        for mover in (True, False):
            if search.cannot_win(mover):
                self._deepening.rule_out(mover)

    def _find_length(self) -> None:
        """Search for the length of a proven win, for about as long as the proof took."""
        value = self._settling.value
        if value and self.solution().plies is None and not self._late():
            self._deepening.rule_out(value < 0)
            self.deepen(max(self._length_nodes, sum(search.nodes for search in self._backends)))

    @property
    def _settling(self) -> Backend:
        """The search that has found the value, or the first one."""
        return next((search for search in self._backends if search.value is not None), self._backends[0])

    @property
    def finished(self) -> bool:
        """Whether the result is known or a limit is reached."""
        if is_answer(self.solution(), self.limits.plies):
            return True
        return self._late() or (self.limits.nodes is not None and self._used >= self.limits.nodes)

    @property
    def _used(self) -> int:
        """The nodes of the search with most nodes."""
        return max(self._deepening.nodes, *(search.used for search in self._backends))

    def deepen(self, portion: int) -> None:
        """Search for forced wins, for ``portion`` nodes or until about the deadline."""
        before, began = self._deepening.nodes, self._clock()
        portion = self._within_limit(portion, before)
        if self.limits.deadline is not None and self._speed > 0:
            portion = min(portion, max(FIRST_PORTION, int(self._speed * (self.limits.deadline - began))))
        self._deepening.run(portion, self.limits.plies)
        seconds = self._clock() - began
        if seconds > 0:
            self._speed = (self._deepening.nodes - before) / seconds

    def solution(self) -> Solution:
        """Return the known result."""
        found, settling = self._deepening.found, self._settling
        value = settling.value
        result, plies, within = Result.UNKNOWN, None, None
        if found is not None:
            result = self._winner(found.for_mover)
            plies = within = found.plies
        elif self._deepening.drawn or value == 0:
            result = Result.DRAW
        elif value is not None:
            result = self._winner(value > 0)
            within = settling.within
            # all wins of a side have the same parity of plies
            if within is not None and (settling.is_exact or self._deepening.refuted >= within - 2):
                plies = within
        return Solution(
            result,
            plies,
            within,
            self._deepening.refuted,
            self._deepening.nodes + sum(search.nodes for search in self._backends),
            sum(search.positions for search in self._backends),
        )

    def _winner(self, mover: bool) -> Result:
        return (Result.FIRST, Result.SECOND)[self._turn if mover else 1 - self._turn]

    def _within_limit(self, portion: int, used: int) -> int:
        return portion if self.limits.nodes is None else max(0, min(portion, self.limits.nodes - used))

    def _ends(self) -> bool:
        """Tell whether a running search has to stop."""
        return self._late() or self._give_up()

    def _late(self) -> bool:
        return self.limits.deadline is not None and self._clock() >= self.limits.deadline
