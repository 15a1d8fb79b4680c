"""Looking positions up in a tablebase: the value of each move, and a line of perfect play.

The values are those of play without a history, in which a game that goes round for ever is a draw. In matches, the
third occurrence of a position is a draw, too. For who wins this changes nothing as long as he has played by the
tablebase since he could win: each of his moves comes nearer to the end, so that no position of these comes again. Moves
to a position that has stood on the board twice are draws here, whoever makes them. What is not seen is a way to win on
which the *opponent* can repeat, for the third time, a position from before the tablebase was asked.
"""

from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from engine.compiling.binding import can_compile
from engine.compiling.compile_process import CompileProcess
from engine.games.history import REPETITIONS
from engine.games.interface import UNDECIDED, WIN, Kernel, Position, Rules, State
from engine.search.alphabeta import compiled_code_with_layers
from engine.search.binding import LOOKING_UP
from engine.search.game_engine import KnownMove, known_result
from engine.search.iterative_deepening import Line
from engine.search.memory import ROOM, KnownLayers
from engine.search.scores import DRAW
from engine.search.searcher import SearchResult
from engine.solve.layered.solver import Judgement, Layers, layer_of
from engine.solve.layered.store import Name
from engine.solve.tablebase.making import (
    are_made,
    can_have,
    extent,
    folder,
    is_made,
    is_whole,
    journal_of,
    shipped,
    takes_shipped,
)

MAX_LINE = 512
"""No line of perfect play is longer: a win takes at most `engine.solve.layered.values.LONGEST` plies."""


def tablebase_of(position: Position, *, make: bool = True) -> "Tablebase | None":
    """Return the tablebase of a position's variant; None where it has none, or where there are to be none.

    Without ``make`` the tablebase is only read: `Tablebase.start` does nothing.
    """
    directory = folder()
    if directory is None or not can_have(position):
        return None
    return Tablebase(position.game.start(position.parameters), directory, make=make)


def whole_tablebase_of(position: Position) -> "Tablebase | None":
    """Return the tablebase of a position's variant, if it has been made and knows all positions of its games."""
    start = position.game.start(position.parameters)
    found = tablebase_of(start)
    return found if found is not None and is_whole(start.kernel(compile=False)) and is_made(start) else None


class Tablebase:
    """The values of positions of one variant, as far as they are on the disk. Nothing is opened before it is asked."""

    def __init__(self, start: Position, directory: Path, *, make: bool = True) -> None:
        """Take the start of a variant that has layers, and where they are kept, unless they were shipped."""
        self._start = start
        self._directory = directory
        self._kernel = start.kernel(compile=False)
        self._journal = journal_of(self._kernel, directory)
        self._read = 0
        """Bytes of the journal that were there when it was read."""
        self._layers: Layers | None = None
        self._known: KnownLayers | None = None
        self._code = compiled_code_with_layers(start)
        self._is_shipped = takes_shipped(self._kernel)
        self._is_settled = not make
        """Whether nothing more is to be made, or somebody makes it."""

    def start(self) -> None:
        """Have a process make what is missing, at the lowest priority, unless this was tried before; returns at once.

        While another such process runs, nothing is done; ask again later.
        """
        if self._is_settled or self._is_shipped:
            return
        self._is_settled = not can_compile() or not are_made() or is_made(self._start)
        if not self._is_settled:
            arguments = ["precompile", self._start.game.name, self._start.parameters, "--purpose", LOOKING_UP]
            self._is_settled = True
            with suppress(OSError):
                self._is_settled = CompileProcess.start([*arguments, "--for-caller"]) is not None

    def judgement(self, state: State) -> Judgement | None:
        """Return the value of a position of an interpreted kernel, None where it is not known."""
        layers = self._opened()
        if layers is None or max(layer_of(self._kernel._replace(state=state))) > max(self._extent):
            return None
        return layers.judgement(state)

    def probe(self, position: Position, earlier: Collection[int] = ()) -> list[KnownMove]:
        """Return every move with its exact score, the best one first; none where they are not known.

        The shortest win comes first, then draws, then the longest loss. ``earlier`` holds the keys of positions that
        stood on the board before, each as often as it did.
        """
        if position.verdict() is not None or self._opened() is None:
            return []
        return self._known_moves(position.kernel(compile=False), Counter(earlier))

    def known_layers(self) -> KnownLayers | None:
        """Return what a compiled search may look up; None where every position is known, or there is no code yet."""
        if self._opened() is None or self._is_whole or not self._code.is_ready():
            return None
        return self._known

    def line(self, position: Position, first: int) -> Line:
        """Return a line of perfect play of both sides that begins with a move, by its number, and ends with the game.

        A draw goes on for ever, and has that move alone. The position must be known.
        """
        line = [first]
        kernel = position.kernel(compile=False)
        while len(line) < MAX_LINE:
            arena = kernel.arena(ROOM)
            kernel.rules.children(kernel.state, arena, 0)
            kernel = kernel._replace(state=kernel.rules.load(arena, line[-1]))
            judgement = self.judgement(kernel.state)
            if judgement is None or judgement.plies == 0:
                break
            line.append(self._known_moves(kernel, Counter())[0].number)
        return tuple(line)

    def results(self, position: Position, lines: int, earlier: Collection[int] = ()) -> list[SearchResult]:
        """Return so many of the best moves as results of a search, each with a line of perfect play.

        None where they are not known. ``earlier`` is that of `probe`.
        """
        return [
            replace(known_result(position, move, 0.0, rank), line=self.line(position, move.number))
            for rank, move in enumerate(self.probe(position, earlier)[:lines], 1)
        ]

    def _known_moves(self, kernel: Kernel, times: Counter[int]) -> list[KnownMove]:
        rules = kernel.rules
        if self.judgement(kernel.state) is None:
            return []
        arena = kernel.arena(ROOM)
        moves = []
        for number in range(rules.children(kernel.state, arena, 0)):
            score = self._score_after(rules, rules.load(arena, number), times)
            if score is None:
                return []
            moves.append(KnownMove(number, score))
        return sorted(moves, key=lambda move: -move.score)

    def _score_after(self, rules: Rules, child: State, times: Counter[int]) -> int | None:
        """Return the score of a position for the side that has just moved, None where it is not known."""
        judgement = self.judgement(child)
        if judgement is None:
            return None
        goes_on = rules.verdict(child) == UNDECIDED
        is_drawn = judgement.result == 0 or (goes_on and times[int(rules.hash_of(child))] >= REPETITIONS - 1)
        return DRAW if is_drawn else -judgement.result * (WIN - judgement.plies - 1)

    @cached_property
    def _is_whole(self) -> bool:
        return is_whole(self._kernel)

    @cached_property
    def _extent(self) -> Name:
        return extent(self._kernel)

    def _opened(self) -> Layers | None:
        """Return the layers that are there by now, None where there are none."""
        if self._is_shipped:
            if self._layers is None:
                self._layers = shipped(self._kernel)
            return self._layers
        try:
            size = self._journal.stat().st_size
            if size != self._read:
                self._layers = Layers(self._kernel, self._extent, memory=0, directory=self._directory)
                self._known = None if self._is_whole else self._layers.known()
                self._read = size
        except OSError:
            return None
        return self._layers
