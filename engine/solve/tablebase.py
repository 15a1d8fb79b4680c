"""Tablebases: exact values of all positions of a variant, computed once on a machine.

A tablebase is a file of values and a journal in the user's cache directory (`engine.solve.layers`). Variants of a board
share them: the tablebase of a smaller variant is a part of that of a larger one. A background process computes it.

The variable `DIRECTORY_VARIABLE` names another directory, which is only read; an empty one means no tablebases. In a
sandbox, where the variable of `engine.compiling.code_cache` is set, none are computed, since nothing remains.

This distribution contains the tablebases of the smallest boards in compressed files, which ``python -m
tests.tablebases`` makes.

The values assume play without a history, in which endless play is a draw. In a match, the third occurrence of a
position is a draw, too. A winner who always follows the tablebase comes nearer to the end with each move, so none of
these positions is repeated. A move to a position that stood on the board twice counts as a draw. One case is not
considered: the opponent may repeat, for the third time, a position from before the first probe.
"""

import lzma
import os
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from engine.compiling import code_cache
from engine.compiling.binding import can_compile
from engine.games.interface import REPETITIONS, UNDECIDED, WIN, Kernel, Position, Rules, State
from engine.games.kernels import CompileProcess, KernelSource
from engine.search.alphabeta import LOOKING_UP
from engine.search.capabilities import DRAW
from engine.search.iterative_deepening import Line
from engine.search.memory import MAX_CHILDREN, MAX_DEPTH, TablebaseLayers
from engine.search.searcher import SearchResult, kernel_after, warm_up
from engine.solve.layers import ExactValue, Layers, Name, layer_of, layer_rules, layers_below, pair_of

DIRECTORY_VARIABLE = "ARENA_TABLEBASES"
"""Environment variable with a directory to read tablebases from; empty for none."""

FORMAT = 1
"""Version of the numbering of positions. Files of another version are not read."""

MEMORY = 1 << 30
"""Memory limit in bytes for the computation, without the file."""

MAX_PLACES = 1 << 26
"""Largest size of a tablebase in bytes, one for each position. It is solved in less than a minute with 0.5 GB."""

MAX_NUMBER = 40
"""Largest number of a layer: even a small layer takes some milliseconds."""

MAX_PIECES = 15
"""The distribution has all layers up to (MAX_PIECES, MAX_PIECES)."""


def folder() -> Path | None:
    """Return the directory of tablebases, None for no tablebases."""
    given = os.environ.get(DIRECTORY_VARIABLE)
    if given is not None:
        return Path(given) if given else None
    return code_cache.home() / "tablebases" / str(FORMAT)


def are_made() -> bool:
    """Tell whether missing tablebases are computed."""
    return DIRECTORY_VARIABLE not in os.environ and code_cache.KERNELS_VARIABLE not in os.environ


MAX_LINE = 512
"""Upper bound of a line of perfect play: a win takes at most `engine.solve.layer_values.MAX_PLIES` plies."""


def tablebase_of(position: Position, *, make: bool = True) -> "Tablebase | None":
    """Return the tablebase of a position's variant, or None.

    Without ``make`` the tablebase is only read: `Tablebase.start` does nothing.
    """
    directory = folder()
    if directory is None or position.kernel(compile=False).rules.layers is None:
        return None
    return Tablebase(position.game.start(position.parameters), directory, make=make)


def whole_tablebase_of(position: Position) -> "Tablebase | None":
    """Return the tablebase of a position's variant, if it is computed and has all positions of the variant."""
    found = tablebase_of(position)
    return found if found is not None and found.is_whole and found.is_made() else None


class Tablebase:
    """The tablebase of one variant. Files are opened at the first use."""

    def __init__(self, start: Position, directory: Path, *, make: bool = True) -> None:
        """Take the start position of a variant with layers, and the directory of tablebases."""
        self._start = start
        self._directory = directory
        self._kernel = start.kernel(compile=False)
        self._journal = directory / f"{self._kernel.rules.label}.journal"
        self._read = 0
        """Size of the journal in bytes when it was read."""
        self._layers: Layers | None = None
        self._known: TablebaseLayers | None = None
        self._kernels = KernelSource(start, LOOKING_UP)
        self.is_shipped = DIRECTORY_VARIABLE not in os.environ and are_shipped(self._kernel)
        """Whether the distribution has the layers."""
        self._is_started = not make
        """Whether nothing is missing, or a process computes it."""

    @cached_property
    def extent(self) -> Name:
        """The largest layer of the tablebase, with the larger number first.

        It is the layer of the start position, if the limits allow. Otherwise it is a smaller layer, which games reach
        late.
        """
        rules = layer_rules(self._kernel)

        @cache
        def places(name: Name) -> int:
            return int(rules.places(*name, rules.index))

        start = layer_of(self._kernel)
        found = (0, 0)
        for name in _growing(max(start), min(start)):
            total = sum(places(layer) for pair in layers_below(name) for layer in pair_of(pair))
            if max(name) > MAX_NUMBER or total > MAX_PLACES:
                break
            found = name
        return found

    @cached_property
    def is_whole(self) -> bool:
        """Whether the tablebase has every position of the variant."""
        return self.extent == tuple(sorted(layer_of(self._kernel), reverse=True))

    def is_made(self) -> bool:
        """Tell whether the tablebase is computed, and the code to search with it is compiled."""
        layers = self.opened()
        if layers is None or layers.missing(self.extent):
            return False
        return self.is_shipped or self.is_whole or self._kernels.is_ready()

    def make(self) -> None:
        """Compute what is missing; raises OSError. One process computes at a time, the others wait.

        If the tablebase is not whole, also compile the search with it. The caller marks this code as complete.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        with code_cache.sole_use(self._directory):
            layers = Layers(self._start.kernel(), self.extent, memory=MEMORY, directory=self._directory)
            layers.solve_all(self.extent)
        if not self.is_whole:
            warm_up(self._start, layers.known())

    def start(self) -> None:
        """Start a process of the lowest priority that computes what is missing; returns at once.

        Does nothing if it was tried before, or while another process runs.
        """
        if self._is_started:
            return
        self._is_started = not can_compile() or not are_made() or self.is_made()
        if not self._is_started:
            arguments = ["precompile", self._start.game.name, self._start.parameters, "--purpose", LOOKING_UP.name]
            self._is_started = True
            with suppress(OSError):
                self._is_started = CompileProcess.start([*arguments, "--background"]) is not None

    def exact_value(self, state: State) -> ExactValue | None:
        """Return the value of a position of an interpreted kernel, None if it is not known."""
        layers = self.opened()
        if layers is None or max(layer_of(self._kernel._replace(state=state))) > max(self.extent):
            return None
        return layers.exact_value(state)

    def probe(self, position: Position, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return every move with its exact score, the best one first. Empty if the scores are not known.

        The order is the shortest win, longer wins, draws, the longest loss, shorter losses. ``earlier`` has the keys of
        earlier positions, each as often as it occurred.
        """
        if position.is_over or self.opened() is None:
            return []
        return self._known_moves(position.kernel(compile=False), Counter(earlier))

    def known_layers(self) -> TablebaseLayers | None:
        """Return the layers for a compiled search; None if every position is known, or if there is no code yet."""
        return None if self.opened() is None or self.is_whole or not self._kernels.is_ready() else self._known

    def line(self, position: Position, first: int) -> Line:
        """Return a line of perfect play to the end of the game, which begins with the move ``first``.

        A draw has only this move, since it goes on for ever. The value of the position must be known.
        """
        line = [first]
        kernel = position.kernel(compile=False)
        while len(line) < MAX_LINE:
            kernel = kernel_after(kernel, line[-1])
            exact_value = self.exact_value(kernel.state)
            if exact_value is None or exact_value.plies == 0:
                break
            line += self._known_moves(kernel, Counter())[0].line
        return tuple(line)

    def results(self, position: Position, lines: int, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return at most ``lines`` of the best moves with lines of perfect play. Empty if they are not known.

        ``earlier`` is that of `probe`.
        """
        return [
            move._replace(line=self.line(position, move.line[0]), rank=rank)
            for rank, move in enumerate(self.probe(position, earlier)[:lines], 1)
        ]

    def _known_moves(self, kernel: Kernel, times: Counter[int]) -> list[SearchResult]:
        """Return the moves of a position with their scores, the best one first. Empty if a score is not known."""
        rules, arena = kernel.rules, kernel.arena(MAX_CHILDREN)
        moves = []
        for number in range(rules.children(kernel.state, arena, 0)):
            child = rules.load(arena, number)
            exact_value = self.exact_value(child)
            if exact_value is None:
                return []
            goes_on = rules.verdict(child) == UNDECIDED
            is_drawn = exact_value.result == 0 or (goes_on and times[int(rules.hash_of(child))] >= REPETITIONS - 1)
            moves.append((-(DRAW if is_drawn else -exact_value.result * (WIN - exact_value.plies - 1)), number))
        return [SearchResult((number,), -lost, MAX_DEPTH, 0, 0.0, is_known=True) for lost, number in sorted(moves)]

    def opened(self) -> Layers | None:
        """Return the present layers, None if there are none."""
        if self.is_shipped:
            return shipped(self._kernel.rules)
        try:
            size = self._journal.stat().st_size
            if size != self._read:
                self._layers = Layers(self._kernel, self.extent, memory=0, directory=self._directory)
                self._known = None if self.is_whole else self._layers.known()
                self._read = size
        except OSError:
            return None
        return self._layers


def _growing(larger: int, smaller: int) -> Iterator[Name]:
    """Yield names in which one of the numbers grows by one at a time, as evenly as possible, up to a layer."""
    for number in range(1, larger + 1):
        if number <= smaller:
            yield number, number - 1
        yield number, min(number, smaller)


def are_shipped(start: Kernel) -> bool:
    """Tell whether the distribution has the layers of a variant. ``start`` is the kernel of its start position."""
    return shipped_file(start.rules).exists() and max(layer_of(start)) <= MAX_PIECES


@cache
def shipped(rules: Rules) -> Layers:
    """Return the layers of a board in this distribution. They must exist."""
    layers = Layers(Kernel(rules, False, None), (MAX_PIECES, MAX_PIECES), memory=MEMORY)
    layers.fill(lzma.decompress(shipped_file(rules).read_bytes()))
    return layers


def shipped_file(rules: Rules) -> Path:
    """Return the file of a board in this distribution. It exists for some boards."""
    return Path(__file__).with_name(f"{rules.label}.xz")
