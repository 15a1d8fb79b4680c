"""The set of positions that can be reached from one, grown in portions within a bound on memory."""

from collections.abc import Callable
from typing import NamedTuple

from engine.compiling.binding import zeros
from engine.games.interface import Kernel
from engine.search.binding import bind, longer
from engine.solve import retrograde
from engine.solve.retrograde import EDGES, ENTRY_POINTS, EXPANDED, POSITIONS, SPARE_PLACES

FIRST_POSITIONS = 1 << 10
"""Positions that a set has room for in the beginning; a power of 2, as it is whenever the room is doubled."""

MAX_POSITIONS = 1 << 30
"""Positions that 32-bit numbers of positions, and of the slots that name them, are good for."""

JUDGED_AT_A_TIME = 1 << 18
"""Positions that are gone back from between two looks at the clock."""

MAX_SPARE_PLACES = 1 << 14
"""More children of one position take a kernel too long to tell apart; a set that comes to such a one is full."""

EDGES_PER_POSITION = 8
"""Moves a position that a set has room for in the beginning."""

INTERPRETED_WORD_BYTES = 28
"""What a number of an interpreted arena takes: a pointer and, mostly, an object of its own."""


class Judgement(NamedTuple):
    """What a set knows of the position that it began with: a result for the side to move, and in how many plies."""

    result: int
    """1 won, -1 lost, 0 drawn."""
    plies: int
    """As many as perfect play takes when the set is closed; no fewer than that before. 0 for a draw."""


class ReachableSet:
    """The positions that can be reached from a first one, breadth first, and the moves between them.

    ``full`` says that the set cannot grow any more within its memory.
    """

    def __init__(self, kernel: Kernel, *, memory: int) -> None:
        """Begin with the position of a kernel, to take at most ``memory`` bytes, but for the least size."""
        self.full = False
        self._kernel = kernel
        bound = bind(ENTRY_POINTS, kernel)
        self._begin, self._expand, self._refill, self._link, self._line_up, self._go_back, self._undo = bound
        self._memory = memory
        self._tally = zeros("q", 3)
        self._values = zeros("h", FIRST_POSITIONS)
        self._offsets = zeros("q", FIRST_POSITIONS + 1)
        self._edges = zeros("i", FIRST_POSITIONS * EDGES_PER_POSITION)
        self._slots = zeros("i", FIRST_POSITIONS * 2)
        self._arena = kernel.arena(FIRST_POSITIONS + SPARE_PLACES)
        self._spare = SPARE_PLACES
        self._judged = False
        kernel.rules.store(self._arena, 0, kernel.state, 0)
        self._begin(self._arena, self._slots, self._values, self._tally)

    @property
    def positions(self) -> int:
        """How many positions are in the set."""
        return int(self._tally[POSITIONS])

    @property
    def expanded(self) -> int:
        """How many positions of the set have their moves recorded."""
        return int(self._tally[EXPANDED])

    @property
    def closed(self) -> bool:
        """Tell whether every position that can be reached is in the set."""
        return self.expanded == self.positions

    def grow(self, positions: int) -> None:
        """Record the moves of so many more positions, or of fewer where the set closes or becomes full."""
        self._forget()
        until = self.expanded + positions
        while not self.full and not self.closed and self.expanded < until:
            try:
                done = self._expand(
                    self._arena,
                    self._slots,
                    self._values,
                    self._offsets,
                    self._edges,
                    self._tally,
                    until,
                )
            except OverflowError:
                self._make_spare_places()
                continue
            if done == retrograde.NO_ROOM:
                self._make_room()

    def judge(self, go_on: Callable[[], bool]) -> Judgement | None:
        """Return what is known of the first position: None while that is nothing, or when ``go_on()`` said no.

        ``go_on`` is asked now and then.
        """
        self._forget()
        self._judged = True
        if (judgement := self._judgement()) is not None:
            return judgement
        values = self._values
        starts = zeros("q", self.positions + 1)
        parents = zeros("i", int(self._tally[EDGES]))
        waiting = zeros("i", self.positions)
        queue = zeros("i", self.positions)
        self._link(self._offsets, self._edges, self._tally, starts, parents, waiting)
        first, end = 0, int(self._line_up(values, self._tally, queue))
        while first < end:
            if not go_on():
                return None
            until = first + JUDGED_AT_A_TIME
            end = int(self._go_back(values, starts, parents, waiting, queue, first, end, until))
            first = min(end, until)
            if (judgement := self._judgement()) is not None:
                return judgement
        return Judgement(0, 0) if self.closed else None

    def _judgement(self) -> Judgement | None:
        """Return what the value of the first position says, None where it is unknown."""
        value = int(self._values[0])
        if value == retrograde.DRAWN_AT_ONCE:
            return Judgement(0, 0)
        if value == retrograde.UNKNOWN:
            return None
        return Judgement(1, value - 1) if value > 0 else Judgement(-1, -value - 1)

    def warm_up(self) -> None:
        """Have everything compiled that the set calls, and spoil the set: for one that is thrown away."""
        self.grow(1)
        self.judge(lambda: True)
        nothing = zeros("i", 0)
        self._go_back(self._values, self._offsets, nothing, nothing, nothing, 0, 0, 0)
        self._forget()
        self._refill(self._arena, zeros("i", len(self._slots)), self._tally)

    def _forget(self) -> None:
        """Undo the last judgement, if there was one: judging begins with finished games alone."""
        if self._judged:
            self._undo(self._values, self._offsets, self._tally)
            self._judged = False

    def _make_room(self) -> None:
        """Enlarge what is too small for another position's moves, or call the set full."""
        room, edges = len(self._values), len(self._edges)
        wide = self._spare
        more_room = room * 2 if room - self.positions < wide else room
        more_edges = edges * 2 if edges - int(self._tally[EDGES]) < wide else edges
        self.full = more_room > MAX_POSITIONS or self._bytes(more_room, more_edges, self._spare) > self._memory
        if self.full:
            return
        if more_edges != edges:
            self._edges = longer(self._edges, more_edges)
        if more_room != room:
            self._slots = zeros("i", more_room * 2)
            self._refill(self._arena, self._slots, self._tally)
            self._values = longer(self._values, more_room)
            self._offsets = longer(self._offsets, more_room + 1)
            self._lengthen_arena(more_room + self._spare)

    def _make_spare_places(self) -> None:
        """Give a position with unusually many children more places for them, or call the set full."""
        more = self._spare * 2
        too_large = self._bytes(len(self._values), len(self._edges), more) > self._memory
        self.full = too_large or more > MAX_SPARE_PLACES
        if not self.full:
            self._spare = more
            self._lengthen_arena(len(self._values) + self._spare)

    def _lengthen_arena(self, places: int) -> None:
        self._arena = longer(self._arena, places * self._kernel.rules.WORDS)

    def _bytes(self, room: int, edges: int, spare: int) -> int:
        """Return what a set of such sizes takes."""
        word = 8 if self._kernel.compiled else INTERPRETED_WORD_BYTES
        words: int = self._kernel.rules.WORDS
        judging = room * (8 + 4 + 4) + edges * 4
        return (room + spare) * words * word + room * (2 * 4 + 2 + 8) + edges * 4 + judging
