"""Tablebases: made once on a machine, and looked up for the value of each move and for lines of perfect play.

They lie in the user's cache directory, beside compiled code, a file of values and a journal for each board, as
`engine.solve.layers` writes them: what one variant of a board needs is part of what a larger one does. A process of its
own makes them beside other work.

Where the variable `GIVEN` names a directory, they are read from there, and none are made; where it is empty, there are
none. Nor are any made where compiled code is copied from a given place: that is a sandbox, in which nothing lasts.

Tablebases of the smallest boards belong to this distribution, in packed files with the values of all layers up to one.
``python -m tests.tablebases`` makes these files.

The values are those of play without a history, in which a game that goes round for ever is a draw. In matches, the
third occurrence of a position is a draw, too. For who wins this changes nothing as long as he has played by the
tablebase since he could win: each of his moves comes nearer to the end, so that no position of these comes again. Moves
to a position that has stood on the board twice are draws here, whoever makes them. What is not seen is a way to win on
which the *opponent* can repeat, for the third time, a position from before the tablebase was asked.
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
from engine.games.history import REPETITIONS
from engine.games.interface import UNDECIDED, WIN, Kernel, Position, Rules, State
from engine.games.kernels import CompileProcess, KernelSource
from engine.search.alphabeta import LOOKING_UP
from engine.search.capabilities import DRAW
from engine.search.iterative_deepening import Line
from engine.search.memory import MAX_CHILDREN, MAX_DEPTH, TablebaseLayers
from engine.search.searcher import SearchResult, kernel_after, warm_up
from engine.solve.layers import Judgement, Layers, Name, both, layer_of, layer_rules, needed

GIVEN = "ARENA_TABLEBASES"
"""Environment variable with a directory to read from; empty for none."""

FORMAT = 1
"""To be raised whenever a position gets another place: what was kept before would be read wrongly."""

MEMORY = 1 << 30
"""Bytes that making one may take beside its file."""

MAX_PLACES = 1 << 26
"""Bytes of a tablebase, of which a position takes one: they are solved in less than a minute, with 0.5 GB of memory."""

MAX_NUMBER = 40
"""No layer of a tablebase has a larger number in its name: each takes some milliseconds, however small it is."""

MAX_PIECES = 15
"""They have all layers up to (MAX_PIECES, MAX_PIECES)."""


def folder() -> Path | None:
    """Return where tablebases are; None where there are to be none."""
    given = os.environ.get(GIVEN)
    if given is not None:
        return Path(given) if given else None
    return code_cache.home() / "tablebases" / str(FORMAT)


def are_made() -> bool:
    """Tell whether those that are missing are to be made."""
    return GIVEN not in os.environ and code_cache.GIVEN not in os.environ


MAX_LINE = 512
"""No line of perfect play is longer: a win takes at most `engine.solve.layer_values.LONGEST` plies."""


def tablebase_of(position: Position, *, make: bool = True) -> "Tablebase | None":
    """Return the tablebase of a position's variant; None where it has none, or where there are to be none.

    Without ``make`` the tablebase is only read: `Tablebase.start` does nothing.
    """
    directory = folder()
    if directory is None or position.kernel(compile=False).rules.layers is None:
        return None
    return Tablebase(position.game.start(position.parameters), directory, make=make)


def whole_tablebase_of(position: Position) -> "Tablebase | None":
    """Return the tablebase of a position's variant, if it has been made and knows all positions of its games."""
    found = tablebase_of(position)
    return found if found is not None and found.is_whole and found.is_made() else None


class Tablebase:
    """The values of positions of one variant, as far as they are on the disk. Nothing is opened before it is asked."""

    def __init__(self, start: Position, directory: Path, *, make: bool = True) -> None:
        """Take the start of a variant that has layers, and where they are kept, unless they were shipped."""
        self._start = start
        self._directory = directory
        self._kernel = start.kernel(compile=False)
        self._journal = directory / f"{self._kernel.rules.label}.journal"
        self._read = 0
        """Bytes of the journal that were there when it was read."""
        self._layers: Layers | None = None
        self._known: TablebaseLayers | None = None
        self._kernels = KernelSource(start, LOOKING_UP)
        self.is_shipped = GIVEN not in os.environ and are_shipped(self._kernel)
        """Whether the layers are those that belong to this distribution."""
        self._is_settled = not make
        """Whether nothing more is to be made, or somebody makes it."""

    @cached_property
    def extent(self) -> Name:
        """The largest layer of the tablebase; of two that belong together the one with the larger number first.

        That is where games of the variant begin, if it is small enough with all layers below it. Otherwise it is what
        such games may come to late, when both sides have lost pieces.
        """
        rules = layer_rules(self._kernel)

        @cache
        def places(name: Name) -> int:
            return int(rules.places(*name, rules.index))

        start = layer_of(self._kernel)
        found = (0, 0)
        for name in _growing(max(start), min(start)):
            total = sum(places(layer) for pair in needed(name) for layer in both(pair))
            if max(name) > MAX_NUMBER or total > MAX_PLACES:
                break
            found = name
        return found

    @cached_property
    def is_whole(self) -> bool:
        """Whether the tablebase knows every position of the variant's games."""
        return self.extent == tuple(sorted(layer_of(self._kernel), reverse=True))

    def is_made(self) -> bool:
        """Tell whether the whole tablebase is there."""
        layers = self.opened()
        if layers is None or layers.missing(self.extent):
            return False
        return self.is_shipped or self.is_whole or self._kernels.is_ready()

    def make(self) -> None:
        """Solve what is missing; raises OSError where it cannot be written.

        A process that another one has come before waits for that one to make it. Where it does not know the start of
        the variant, a search that looks up what it comes to is compiled, too; who calls this has it kept.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        with code_cache.sole_use(self._directory):
            layers = Layers(self._start.kernel(), self.extent, memory=MEMORY, directory=self._directory)
            layers.solve_all(self.extent)
        if not self.is_whole:
            warm_up(self._start, layers.known())

    def start(self) -> None:
        """Have a process make what is missing, at the lowest priority, unless this was tried before; returns at once.

        While another such process runs, nothing is done; ask again later.
        """
        if self._is_settled:
            return
        self._is_settled = not can_compile() or not are_made() or self.is_made()
        if not self._is_settled:
            arguments = ["precompile", self._start.game.name, self._start.parameters, "--purpose", LOOKING_UP.name]
            self._is_settled = True
            with suppress(OSError):
                self._is_settled = CompileProcess.start([*arguments, "--background"]) is not None

    def judgement(self, state: State) -> Judgement | None:
        """Return the value of a position of an interpreted kernel, None where it is not known."""
        layers = self.opened()
        if layers is None or max(layer_of(self._kernel._replace(state=state))) > max(self.extent):
            return None
        return layers.judgement(state)

    def probe(self, position: Position, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return every move with its exact score, the best one first; none where they are not known.

        The shortest win comes first, then draws, then the longest loss. ``earlier`` holds the keys of positions that
        stood on the board before, each as often as it did.
        """
        if position.is_over or self.opened() is None:
            return []
        return self._known_moves(position.kernel(compile=False), Counter(earlier))

    def known_layers(self) -> TablebaseLayers | None:
        """Return what a compiled search may look up; None where every position is known, or there is no code yet."""
        if self.opened() is None or self.is_whole or not self._kernels.is_ready():
            return None
        return self._known

    def line(self, position: Position, first: int) -> Line:
        """Return a line of perfect play of both sides that begins with a move, by its number, and ends with the game.

        A draw goes on for ever, and has that move alone. The position must be known.
        """
        line = [first]
        kernel = position.kernel(compile=False)
        while len(line) < MAX_LINE:
            kernel = kernel_after(kernel, line[-1])
            judgement = self.judgement(kernel.state)
            if judgement is None or judgement.plies == 0:
                break
            line += self._known_moves(kernel, Counter())[0].line
        return tuple(line)

    def results(self, position: Position, lines: int, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return so many of the best moves as results of a search, each with a line of perfect play.

        None where they are not known. ``earlier`` is that of `probe`.
        """
        return [
            move._replace(line=self.line(position, move.line[0]), rank=rank)
            for rank, move in enumerate(self.probe(position, earlier)[:lines], 1)
        ]

    def _known_moves(self, kernel: Kernel, times: Counter[int]) -> list[SearchResult]:
        """Return the moves of a position with their scores, the best one first; none where one is not known."""
        rules, arena = kernel.rules, kernel.arena(MAX_CHILDREN)
        moves = []
        for number in range(rules.children(kernel.state, arena, 0)):
            child = rules.load(arena, number)
            judgement = self.judgement(child)
            if judgement is None:
                return []
            goes_on = rules.verdict(child) == UNDECIDED
            is_drawn = judgement.result == 0 or (goes_on and times[int(rules.hash_of(child))] >= REPETITIONS - 1)
            score = DRAW if is_drawn else -judgement.result * (WIN - judgement.plies - 1)
            moves.append((-score, number))
        return [SearchResult((number,), -lost, MAX_DEPTH, 0, 0.0, is_known=True) for lost, number in sorted(moves)]

    def opened(self) -> Layers | None:
        """Return the layers that are there by now, None where there are none."""
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
    """Yield names that grow by one in one of both numbers, as evenly as they can, up to the one with these numbers."""
    for number in range(1, larger + 1):
        if number <= smaller:
            yield number, number - 1
        yield number, min(number, smaller)


def are_shipped(start: Kernel) -> bool:
    """Tell whether the distribution has the layers of a variant; ``start`` is the kernel of its first position."""
    return shipped_file(start.rules).exists() and max(layer_of(start)) <= MAX_PIECES


@cache
def shipped(rules: Rules) -> Layers:
    """Return the layers that belong to this distribution, for a board of which there are some."""
    layers = Layers(Kernel(rules, False, None), (MAX_PIECES, MAX_PIECES), memory=MEMORY)
    layers.fill(lzma.decompress(shipped_file(rules).read_bytes()))
    return layers


def shipped_file(rules: Rules) -> Path:
    """Return the file of a board in this distribution, which exists for some boards."""
    return Path(__file__).with_name(f"{rules.label}.xz")
