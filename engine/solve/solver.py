"""Solving a position: who wins with perfect play, or whether it is a draw.

Searches take turns, with portions that double. One looks for short forced wins (`engine.solve.forced_wins`) and finds
them, with their length, in variants of any size. The others settle who wins, without asking for the length. Where play
cannot go on for ever that is exhaustive and proof-number search. Where it can, proof-number search alone finds long
wins, and proves that a side cannot win (`engine.solve.proof_search`). In games in layers every position of all layers
is judged backwards (`engine.solve.layers`), if they fit into memory.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, Protocol

from engine.games.interface import DRAWN, LOST, WON, Kernel, Position
from engine.games.kernels import KernelSource, Purpose
from engine.solve import forced_wins, proof_search
from engine.solve.forced_wins import ENDLESS, Deepening
from engine.solve.layers import Judgement, Layers, OutOfMemory, OutOfTime, layer_of
from engine.solve.proof_search import CyclicProver, Prover
from engine.solve.tablebase import Tablebase


class Result(StrEnum):
    """What perfect play leads to; *first* is the side that began the game."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    UNKNOWN = "unknown"


class SolverLimits(NamedTuple):
    """How far a solver may go."""

    memory: int = 1 << 30
    """Bytes for tables and positions, about."""
    deadline: float | None = None
    """When it stops, on the clock that it is given; None for as long as it takes."""
    nodes: int | None = None
    """Positions whose moves either search may make, about; None for as many as it takes."""
    plies: int = ENDLESS
    """Wins in more plies need not be found, but of shorter ones the exact number of plies is wanted."""


NO_LIMITS = SolverLimits()
"""As long as it takes, with the memory that is usual."""


class Solution(NamedTuple):
    """What is known of a position, while it is being solved and after."""

    result: Result
    plies: int | None
    """The length of the game with perfect play of both, where the result is a win and its exact length is known."""
    within: int | None
    """A number of plies that suffices for the win, where one is known; no less than ``plies``."""
    refuted: int
    """Neither side can force a win within so many plies; -1 before anything is known."""
    nodes: int
    """Positions whose moves the searches for forced wins and proofs have made."""
    positions: int
    """Positions of all solved layers."""


FIRST_PORTION = 1 << 8
"""Positions whose moves each search makes before the other has its turn; each time twice as many."""

TRIAL_NODES, LOADED_TRIAL_NODES = 1 << 9, 1 << 6
"""Positions whose moves a search makes interpreted before it is worth while to compile, or to load compiled code:
tenths or hundredths of a second."""

LENGTH_NODES = 1 << 18
"""Nodes that are spent at least, compiled, on the length of a win that is proven: some tenths of a second."""

SHORT_NODES = 32
"""Nodes that are looked through for a forced win, interpreted, before tables are loaded to look up who wins."""

TABLE_SHARE = 4
"""One part in so many of the memory goes to the table of the search for forced wins."""


SLICE_COMPILED, SLICE_INTERPRETED = 1 << 14, 1 << 8
"""Nodes between two looks at the clock, some tenths of a second."""

PROOF_PORTIONS = 8
"""Compiled nodes of a proof in a game that ends, for each node of the other searches: the proof finds most wins."""

NODE_COST, EARLY_NODE_COST = 4, 64
"""Nodes of the other searches for one node of a proof in a game that can go on for ever: as many as take as long, and
more in early interpreted portions, where most wins are short."""

EARLY_PORTION = 1 << 13
"""Nodes of the last early portion: a second or two."""

LAYERED_FROM = 1 << 17
"""Nodes before layers are solved. Fewer take no longer than compiling the functions of layers, some seconds."""

PLACES_PER_NODE = 1 << 5
"""Places of layers that are solved about as fast as a node is searched."""

PROOF_SHARE = 3
"""The table of a proof takes one part in three of the memory where layers take the rest."""

SIGNS = {LOST: -1, DRAWN: 0, WON: 1}
"""Values by verdicts of perfect play."""


class Backend(Protocol):
    """A search that settles who wins, for the side to move."""

    @property
    def is_exact(self) -> bool:
        """Whether `within` is the length of the game with perfect play."""

    @property
    def used(self) -> int:
        """Nodes that were searched, in nodes of the other searches."""

    @property
    def nodes(self) -> int:
        """Positions that the search has expanded."""

    @property
    def positions(self) -> int:
        """Positions of the solved layers."""

    @property
    def value(self) -> int | None:
        """1 for a won position, -1 lost, 0 drawn, None while it is unknown."""

    @property
    def within(self) -> int | None:
        """A number of plies that suffices for the win, where one is known."""

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for so many more nodes; stop when it is late."""

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move (``mover``), or the other side, is proven unable to win."""


class Proof:
    """Exhaustive and proof-number search for games that end, proof-number search for games that can go on for ever."""

    is_exact = False
    positions = 0

    def __init__(self, kernel: Kernel, memory: int, as_compiled: bool) -> None:
        """Begin with the position of a kernel; the table takes at most ``memory`` bytes."""
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
        """Nodes, as those of the other searches."""
        return int(self._used)

    @property
    def nodes(self) -> int:
        """Positions that the search has expanded."""
        return self.prover.nodes

    @property
    def value(self) -> int | None:
        """For the side to move: 1 won, -1 lost, 0 drawn, None while it is unknown."""
        return None if self.prover.value is None else SIGNS[self.prover.value]

    @property
    def within(self) -> int | None:
        """A number of plies that suffices for the win, where one is known."""
        return self.prover.within

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Search for so many more nodes of the other searches."""
        prover, before = self.prover, self.prover.nodes
        rate = self._early_rate if portion <= EARLY_PORTION else self._rate
        until = before + int(portion * rate)
        while prover.value is None and not prover.hopeless and prover.nodes < until and not late():
            prover.search(min(self._slice, until - prover.nodes))
        self._used += (prover.nodes - before) / rate

    def cannot_win(self, mover: bool) -> bool:
        """Tell whether the side to move (``mover``), or the other side, is proven unable to win."""
        return self.prover.cannot_win(mover)


class LayeredBackend:
    """Every position of all layers, for games in layers; it waits until the other searches have taken as long."""

    is_exact = True
    nodes = 0

    def __init__(self, kernel: Kernel, memory: int) -> None:
        """Begin with the position of a kernel, and take at most ``memory`` bytes."""
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
        """For the side to move: 1 won, -1 lost, 0 drawn, None while it is unknown."""
        judgement = self._judgement()
        return None if judgement is None else judgement.result

    @property
    def within(self) -> int | None:
        """The number of plies to a win, if it is one."""
        judgement = self._judgement()
        return None if judgement is None or judgement.result == 0 else judgement.plies

    def search(self, portion: int, late: Callable[[], bool]) -> None:
        """Solve layers with so many positions or more; a layer is given up when it is late."""
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
        """Tell nothing beside the value."""
        return False

    def _judgement(self) -> Judgement | None:
        return None if self._layers is None else self._layers.judgement(self._kernel.state)


def backends(kernel: Kernel, memory: int, *, as_compiled: bool = False) -> list[Backend]:
    """Begin the searches that fit the game, within so many bytes, and settle who wins however long it takes.

    With ``as_compiled`` interpreted code does the same as compiled code, up to LAYERED_FROM nodes.
    """
    as_compiled = as_compiled or kernel.compiled
    if not kernel.compiled or kernel.rules.layers is None:
        return [Proof(kernel, memory, as_compiled)]
    proof = memory // PROOF_SHARE
    return [Proof(kernel, proof, as_compiled), LayeredBackend(kernel, memory - proof)]


SOLVING = Purpose("solve", lambda kernel: [forced_wins.FUNCTIONS, proof_search.FUNCTIONS])
"""Finding out who wins."""


def solver_kernels(position: Position, compiling: Callable[[], None] = lambda: None) -> KernelSource:
    """Return the kernels of a position's board for solving; costs are nodes.

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
    """Solve a position, or find out what can be found out of it within limits.

    ``clock`` gives seconds from any beginning; ``progress`` is told after every portion. ``kernels`` are those of the
    board, as of `solver_kernels`. An interpreted search that they have a compiled kernel for is begun again. With a
    limit of at most LAYERED_FROM nodes the same is found on every machine, compiled or not. Without a deadline and a
    limit of nodes only a result ends the search. Raises OverflowError for a position with more moves than a search can
    hold.

    A ``tablebase`` is asked for what is no forced win within SHORT_NODES.
    """
    kernels = solver_kernels(position) if kernels is None else kernels
    interpreted = position.kernel(compile=False)
    if tablebase is not None:
        solver = _Solver(interpreted, position.turn, limits, clock)
        solver.deepen(SHORT_NODES)
        judgement = None if solver.finished else tablebase.judgement(interpreted.state)
        if judgement is not None:
            return solver.known(judgement)
    kernel = kernels.kernel_for(position)
    if not kernel.compiled:
        solver = _Solver(kernel, position.turn, limits, clock, as_compiled=limits.nodes is not None)
        solution = solver.run(progress, kernels)
        if not solver.is_given_up:
            return solution
    return _Solver(position.kernel(), position.turn, limits, clock).run(progress)


def is_answer(solution: Solution, plies: int = ENDLESS) -> bool:
    """Tell whether a solution leaves nothing open, or nothing that has to do with wins within so many plies."""
    if plies == ENDLESS:
        return solution.result != Result.UNKNOWN
    return solution.result == Result.DRAW or solution.plies is not None or solution.refuted >= plies


def warm_up(position: Position) -> None:
    """Compile all that the searches call, or load it: seconds where nothing is compiled yet."""
    kernel = position.kernel()
    arena = kernel.arena(Deepening.FIRST_PLACES)
    end = kernel.rules.children(kernel.state, arena, 0)
    for at in range(min(end, 1)):
        kernel.rules.verdict(kernel.rules.load(arena, at))
    Deepening(kernel, memory=0).warm_up()
    Proof(kernel, 0, as_compiled=True).prover.warm_up()


class _Solver:
    """All searches, and what they have found together."""

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
        self._deepening = Deepening(kernel, memory=table)
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
        """Whether the search has ended because compiled code is there."""

    def run(self, progress: Callable[[Solution], None], kernels: KernelSource | None = None) -> Solution:
        """Search until the question is answered or a limit reached.

        An interpreted search ends when ``kernels`` have compiled code for it.
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

    def known(self, judgement: Judgement) -> Solution:
        """Say what a tablebase knows."""
        plies = judgement.plies if judgement.result else None
        result = self._winner(judgement.result > 0) if judgement.result else Result.DRAW
        return self.solution()._replace(result=result, plies=plies, within=plies)

    def _rule_out(self, search: Backend) -> None:
        """Look no more for wins that a proof has shown to be none."""
        for mover in (True, False):
            if search.cannot_win(mover):
                self._deepening.rule_out(mover)

    def _find_length(self) -> None:
        """Look for the length of a proven win, for about as long as the proof has taken."""
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
        """Tell whether the question is answered or a limit reached."""
        if is_answer(self.solution(), self.limits.plies):
            return True
        return self._late() or (self.limits.nodes is not None and self._used >= self.limits.nodes)

    @property
    def _used(self) -> int:
        """The nodes of the search that has made most."""
        return max(self._deepening.nodes, *(search.used for search in self._backends))

    def deepen(self, portion: int) -> None:
        """Go on looking for forced wins, for so many nodes or, if that is less, until about the deadline."""
        before, began = self._deepening.nodes, self._clock()
        portion = self._within_limit(portion, before)
        if self.limits.deadline is not None and self._speed > 0:
            portion = min(portion, max(FIRST_PORTION, int(self._speed * (self.limits.deadline - began))))
        self._deepening.run(portion, self.limits.plies)
        seconds = self._clock() - began
        if seconds > 0:
            self._speed = (self._deepening.nodes - before) / seconds

    def solution(self) -> Solution:
        """Say what is known."""
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
            # the winner cannot win in a number of plies of the other parity
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
        """Tell a search under way whether to stop."""
        return self._late() or self._give_up()

    def _late(self) -> bool:
        return self.limits.deadline is not None and self._clock() >= self.limits.deadline
