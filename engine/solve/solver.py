"""Solving a position: who wins with perfect play, or whether it is a draw.

Searches take turns, with portions that double. One looks for short forced wins (`engine.solve.forced_wins`) and finds
them, with their length, in variants of any size. The others settle who wins, without asking for the length. Where play
cannot go on for ever that is exhaustive and proof-number search (`engine.solve.proof_number.acyclic`). Where it can,
proof-number search of another kind (`engine.solve.proof_number.cyclic`) finds long wins, and proves that a side cannot
win. In games in layers every position of all layers is judged backwards (`engine.solve.layered`), if they fit into
memory.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, Protocol

from engine.games.interface import Kernel, Position, State
from engine.search.binding import SOLVING, CodeSource, CompiledCode
from engine.solve import forced_wins
from engine.solve.backends import CyclicProof, Settled, SolverBackend, backends
from engine.solve.forced_wins import ENDLESS, Deepening
from engine.solve.layered.solver import Judgement
from engine.solve.proof_number import acyclic, cyclic


class Result(StrEnum):
    """What perfect play leads to; *first* is the side that began the game."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    UNKNOWN = "unknown"


class ExactValues(Protocol):
    """What knows the values of positions: `engine.solve.tablebase`."""

    def judgement(self, state: State) -> Judgement | None:
        """Return the value of a position of an interpreted kernel, None where it is not known."""


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
    method: str
    """What has found the result, in a few words."""


FIRST_PORTION = 1 << 8
"""Positions whose moves each search makes before the other has its turn; each time twice as many."""

TRIAL_NODES, LOADED_TRIAL_NODES = 1 << 9, 1 << 6
"""Positions whose moves each search makes interpreted, before it is worth while to compile, or to load what was
compiled: tenths or hundredths of a second."""

LENGTH_NODES = 1 << 18
"""Nodes that are spent at least, compiled, on the length of a win that is proven: some tenths of a second."""

SHORT_NODES = 32
"""Nodes that are looked through for a forced win, interpreted, before tables are loaded to look up who wins."""

FORCED = "forced win"
"""The method that finds wins by deepening, and draws where no depth is enough for either side."""

TABLE_SHARE = 4
"""One part in so many of the memory goes to the table of the search for forced wins."""


def solve(
    position: Position,
    limits: SolverLimits = NO_LIMITS,
    *,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[Solution], None] = lambda solution: None,
    compiling: Callable[[], None] = lambda: None,
    trial: int = TRIAL_NODES,
    code: CodeSource | None = None,
    tablebase: ExactValues | None = None,
) -> Solution:
    """Solve a position, or find out what can be found out of it within limits.

    ``clock`` gives seconds from any beginning; ``progress`` is told after every portion. The search is interpreted at
    first. What is not solved in ``trial`` nodes goes on so until another process has compiled the search, of which
    ``compiling`` is told when it begins, and is then begun again. With a limit of at most LAYERED_FROM nodes
    (`engine.solve.backends`) the same is found on every machine, compiled or not. Without a deadline and a limit of
    nodes only a result ends the search.
    Raises OverflowError for a position with more moves than a search can hold.

    ``code`` is what knows of the compiled search; without it, that of the position's board. A ``tablebase`` is asked
    for what is no forced win within SHORT_NODES.
    """
    code = compiled_code(position) if code is None else code
    if code.is_ready():
        trial = min(trial, LOADED_TRIAL_NODES)
    interpreted = _Solver(position.kernel(compile=False), position.turn, limits, clock)
    if tablebase is not None:
        interpreted.deepen(SHORT_NODES)
        judgement = None if interpreted.finished else tablebase.judgement(position.kernel(compile=False).state)
        if judgement is not None:
            return interpreted.known(judgement)
    if limits.nodes is None:
        solution = interpreted.run(progress, _GoingOver(code, compiling, trial).is_due)
    else:
        interpreted.limits = limits._replace(nodes=min(limits.nodes, trial))
        solution = interpreted.run(progress)
        interpreted.limits = limits
    late = limits.deadline is not None and clock() >= limits.deadline
    if late or interpreted.finished:
        return solution
    if limits.nodes is not None and not code.is_ready():
        going_over = _GoingOver(code, compiling, 0)
        interpreted = _Solver(position.kernel(compile=False), position.turn, limits, clock, as_compiled=True)
        solution = interpreted.run(progress, going_over.is_due)
        if not going_over.was_due:
            return solution
    return _Solver(position.kernel(), position.turn, limits, clock).run(progress)


class _GoingOver:
    """Tells when an interpreted search is to be given up in favour of a compiled one."""

    def __init__(self, code: CodeSource, compiling: Callable[[], None], trial: int) -> None:
        self._code = code
        self._compiling = compiling
        self._trial = trial
        self._is_told = False
        self.was_due = False
        """Whether the interpreted search was given up."""

    def is_due(self, nodes: int) -> bool:
        """Tell whether the compiled search is to begin, after so many nodes of the other one."""
        self.was_due = self.was_due or self._is_due(nodes)
        return self.was_due

    def _is_due(self, nodes: int) -> bool:
        if nodes < self._trial:
            return False
        if not self._code.is_ready():
            if not self._is_told:
                self._is_told = True
                self._compiling()
            self._code.start()
        return self._code.is_ready()


def is_answer(solution: Solution, plies: int = ENDLESS) -> bool:
    """Tell whether a solution leaves nothing open, or nothing that has to do with wins within so many plies."""
    if plies == ENDLESS:
        return solution.result != Result.UNKNOWN
    return solution.result == Result.DRAW or solution.plies is not None or solution.refuted >= plies


def compiled_code(position: Position) -> CompiledCode:
    """Return what is compiled of the searches for the board of a position."""
    ends = position.kernel(compile=False).rules.plies_left is not None
    proof = acyclic.FUNCTIONS if ends else cyclic.FUNCTIONS
    return CompiledCode(position, SOLVING, [forced_wins.FUNCTIONS, proof])


def warm_up(position: Position) -> None:
    """Compile all that the searches call, or load it: seconds where nothing is compiled yet."""
    kernel = position.kernel()
    arena = kernel.arena(forced_wins.FIRST_PLACES)
    end = kernel.rules.children(kernel.state, arena, 0)
    for at in range(min(end, 1)):
        kernel.rules.verdict(kernel.rules.load(arena, at))
    Deepening(kernel, memory=0).warm_up()
    for search in backends(kernel, 0):
        search.warm_up()


def never(_nodes: int) -> bool:
    """Give up a search after no number of nodes."""
    return False


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
        self._given_up: Callable[[int], bool] = never

    def run(self, progress: Callable[[Solution], None], given_up: Callable[[int], bool] = never) -> Solution:
        """Search until the question is answered or a limit reached; can be called again with other limits.

        ``given_up`` tells by the number of nodes so far whether to search no more.
        """
        self._given_up = given_up
        while not (self.finished or given_up(self._used)):
            self.deepen(self._portion)
            for search in self._backends:
                if not (self.finished or given_up(self._used)):
                    search.search(self._within_limit(self._portion, search.used), self._ends)
                    self._rule_out(search)
            progress(self.solution())
            self._portion *= 2
        if not given_up(self._used):
            self._find_length()
        return self.solution()

    def known(self, judgement: Judgement) -> Solution:
        """Say what a tablebase knows."""
        plies = judgement.plies if judgement.result else None
        result = self._winner(judgement.result > 0) if judgement.result else Result.DRAW
        return self.solution()._replace(result=result, plies=plies, within=plies, method="tablebase")

    def _rule_out(self, search: SolverBackend) -> None:
        """Look no more for wins that a proof has shown to be none."""
        if isinstance(search, CyclicProof):
            for mover in (True, False):
                if search.prover.cannot_win(mover):
                    self._deepening.rule_out(mover)

    def _find_length(self) -> None:
        """Look for the length of a proven win, for about as long as the proof has taken."""
        settled, _ = self._settled()
        if settled.value in (1, -1) and self.solution().plies is None and not self._late():
            self._deepening.rule_out(settled.value < 0)
            self.deepen(max(self._length_nodes, settled.nodes))

    def _settled(self) -> tuple[Settled, SolverBackend]:
        """Return what is settled, and by which search."""
        every = [(search.settled(), search) for search in self._backends]
        deciding, search = next((one for one in every if one[0].value is not None), every[0])
        nodes = sum(settled.nodes for settled, _ in every)
        positions = sum(settled.positions for settled, _ in every)
        return deciding._replace(nodes=nodes, positions=positions), search

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
        found = self._deepening.found
        settled, search = self._settled()
        result, plies, within = Result.UNKNOWN, None, None
        if found is not None:
            result = self._winner(found.for_mover)
            plies = within = found.plies
        elif self._deepening.drawn or settled.value == 0:
            result = Result.DRAW
        elif settled.value is not None:
            result = self._winner(settled.value > 0)
            within = settled.within
            # the winner cannot win in a number of plies of the other parity
            if within is not None and (settled.is_exact or self._deepening.refuted >= within - 2):
                plies = within
        return Solution(
            result,
            plies,
            within,
            self._deepening.refuted,
            self._deepening.nodes + settled.nodes,
            settled.positions,
            FORCED if found is not None or self._deepening.drawn else search.method,
        )

    def _winner(self, mover: bool) -> Result:
        return (Result.FIRST, Result.SECOND)[self._turn if mover else 1 - self._turn]

    def _within_limit(self, portion: int, used: int) -> int:
        return portion if self.limits.nodes is None else max(0, min(portion, self.limits.nodes - used))

    def _ends(self) -> bool:
        """Tell a search under way whether to stop."""
        return self._late() or self._given_up(self._used)

    def _late(self) -> bool:
        return self.limits.deadline is not None and self._clock() >= self.limits.deadline
