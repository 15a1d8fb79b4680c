"""The layers of a game: solves them from the smallest up to the layer of a position, and stores their values.

Values are in memory or in a directory. They form one array in the order of layers, so a larger array begins with the
same values. On disk it is a file that is mapped into memory, with holes for missing layers. A journal has a line for
each complete layer, with the checksum of its values. A layer without a line, or with a wrong checksum, is missing.
Files that cannot be written are still read.

Verification uses only the rules: each value must follow from the values after all moves. If this holds everywhere, the
whole tablebase is correct. A loss in 0 plies follows from the rules. A win or a loss in n plies follows from values of
fewer plies. In a draw no move wins, and one move leads to a draw.
"""

import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import accumulate, count
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from engine.compiling.binding import Numbers, copy_of, popcount, zeros
from engine.games.gipf.kernel import GipfLayerRules
from engine.games.gipf.rules import State as GipfState
from engine.games.interface import UNDECIDED, Kernel, LayerRules, State
from engine.games.kernels import bind
from engine.search.memory import MAX_CHILDREN, TablebaseLayers
from engine.solve.layer_values import EDGES, ENTRY_POINTS, LAST, PLACE, POSITIONS, Layer

COLUMNS = ("mine", "theirs", "positions", "checksum")
"""Columns of the journal, separated by tabs."""

SURVEY_CHUNK = 1 << 17
"""Places of a survey between two checks of the clock."""

PROPAGATION_CHUNK = 1 << 22
"""Places of a propagation between two checks of the clock."""

PLACES = 1 << 12
"""Largest number of final positions of a push."""

LISTED_MOVES = 1 << 12
"""Largest number of moves of a position."""

ORIGINS = 1 << 10
"""Largest number of origins of a position."""

MAX_SURVEYED_VALUE = 2
"""Largest value that a survey writes."""

EDGE_CHUNK = 1 << 17
"""Largest number of edges of a part of a survey."""

PLACE_BYTES = 1 + 1 + 2 + 4
"""Bytes of a place while its layer is solved."""

PAIR_BYTES, PARENT_BYTES = 8, 4
"""Bytes of an edge as a pair, and in `Layer.parents`."""

Name = tuple[int, int]
"""The two numbers of a layer, first that of the side to move."""


class ExactValue(NamedTuple):
    """The exact value of a position."""

    result: int
    """The result for the side to move: 1 won, -1 lost, 0 drawn."""
    plies: int
    """Plies to the end of the game with perfect play; 0 for a draw."""


class OutOfTime(Exception):
    """The deadline has passed."""


class OutOfMemory(Exception):
    """The memory limit is too small."""


def layer_rules(kernel: Kernel) -> LayerRules:
    """Return the layer rules of a kernel, which must have some."""
    assert kernel.rules.layers is not None
    return kernel.rules.layers()


def layer_of(kernel: Kernel) -> Name:
    """Return the layer of the position of a kernel."""
    mine, theirs = layer_rules(kernel).layer_of(kernel.state)
    return int(mine), int(theirs)


def layers_below(largest: Name) -> list[Name]:
    """Return the layers that games from a layer can reach, smaller ones first, one of each pair."""
    mine, theirs = largest
    names = {(max(m, o), min(m, o)) for m in range(mine + 1) for o in range(theirs + 1)}
    return sorted(names, key=lambda name: (sum(name), name))


def pair_of(name: Name) -> tuple[Name, ...]:
    """Return a layer and the layer after its moves: one layer if the numbers are equal."""
    mine, theirs = name
    return (name,) if mine == theirs else (name, (theirs, mine))


class Layers:
    """The layers of a game up to a largest one. The kernel must have ``layers``."""

    def __init__(self, kernel: Kernel, largest: Name, *, memory: int, directory: Path | None = None) -> None:
        """Read the directory if one is given, and use at most ``memory`` bytes in addition to its files.

        Raises OutOfMemory if the memory is too small for layers without a directory, and OSError if the directory
        cannot be read.
        """
        self.kernel = kernel
        self.rules = layer_rules(kernel)
        self.width = max(largest) + 1
        self.sizes = {name: int(self.rules.places(*name, self.rules.index)) for name in _names(self.width)}
        """Number of places of each layer."""
        self.offsets = zeros("q", self.width**2)
        """The first value of layer (m, o), at m * width + o."""
        total = 0
        for name, size in self.sizes.items():
            self.offsets[name[0] * self.width + name[1]] = total
            total += size
        self._memory = memory
        self._positions: dict[Name, int] = {}
        self._unverified: dict[Name, int] = {}
        self._file: Path | None = None
        if directory is None:
            self._memory -= self.places(largest)
            if self._memory < sum(self.sizes[name] for name in pair_of(largest)) * PLACE_BYTES:
                raise OutOfMemory("the layers need more memory than the limit")
            self.values: Any = memoryview(cast(Any, zeros("B", total)))
        else:
            self._file = directory / f"{kernel.rules.label}.layers"
            self._journal = directory / f"{kernel.rules.label}.journal"
            self.values = _mapped(self._file, total)
            self._read_journal()

    def places(self, largest: Name) -> int:
        """Return the number of places in a layer and all smaller ones, an upper bound of the positions."""
        return sum(self.sizes[name] for pair in layers_below(largest) for name in pair_of(pair))

    def total(self, largest: Name) -> int:
        """Return the number of solved positions in a layer and all smaller ones."""
        return sum(self._positions.get(name, 0) for pair in layers_below(largest) for name in pair_of(pair))

    def is_solved(self, name: Name) -> bool:
        """Tell whether a layer is solved, and its values have the right checksum."""
        if name in self._unverified:
            if zlib.crc32(self._layer(name)) != self._unverified[name]:
                del self._positions[name]
            del self._unverified[name]
        return name in self._positions

    def differing(self) -> list[Name]:
        """Return the layers whose values have a wrong checksum. After that their values count as right."""
        found = [name for name, expected in self._unverified.items() if zlib.crc32(self._layer(name)) != expected]
        self._unverified.clear()
        return found

    def missing(self, largest: Name) -> list[Name]:
        """Return the layers to solve for the values of a layer, in this order, one of each pair.

        A solved layer needs no others.
        """
        if self.is_solved(largest):
            return []
        return [pair for pair in layers_below(largest) if not all(map(self.is_solved, pair_of(pair)))]

    def solve(self, pair: Name, late: Callable[[], bool]) -> None:
        """Solve a pair of layers. All smaller layers must be solved.

        Raises OutOfTime soon after ``late()`` returns True, OutOfMemory, OverflowError for games that are too long, and
        OSError if a layer cannot be written. Solved layers remain.
        """
        for name, values, positions in LayerPair(self, pair, self._memory, late).solve():
            self._put(name, values, positions)

    def solve_all(self, largest: Name, late: Callable[[], bool] = lambda: False) -> None:
        """Solve the missing layers up to a largest one; raises as `solve` does."""
        for pair in self.missing(largest):
            self.solve(pair, late)

    def fill(self, values: bytes) -> None:
        """Write the values of all layers into memory. Their positions are not counted."""
        self.values[:] = values
        self._positions = dict.fromkeys(self.sizes, 0)

    def place_of(self, name: Name, place: int) -> int:
        """Return the place of a layer's place among all values."""
        return int(self.offsets[name[0] * self.width + name[1]]) + place

    def exact_value(self, state: State) -> ExactValue | None:
        """Return the value of a position, None if its layer is not solved."""
        name = layer_of(self.kernel._replace(state=state))
        if not self.is_solved(name):
            return None
        value = int(self.values[self.place_of(name, int(self.rules.place_in_layer(state, self.rules.index)))])
        return ExactValue(-1 if value & 1 else 1, value - 1) if value else ExactValue(0, 0)

    def known(self) -> TablebaseLayers:
        """Return the solved layers in the format of the search."""
        offsets = zeros("q", self.width**2)
        for name in self.sizes:
            at = name[0] * self.width + name[1]
            offsets[at] = self.offsets[at] if self.is_solved(name) else -1
        return TablebaseLayers(cast(Numbers, memoryview(self.values)), offsets, self.width, self.rules.index)

    def _layer(self, name: Name) -> Any:
        return self.values[self.place_of(name, 0) : self.place_of(name, self.sizes[name])]

    def _put(self, name: Name, values: Any, positions: int) -> None:
        """Store a solved layer; raises OSError."""
        if self._file is None:
            self.values[self.place_of(name, 0) : self.place_of(name, len(values))] = values
        else:
            with self._file.open("r+b") as opened:
                opened.seek(self.place_of(name, 0))
                opened.write(values)
            with self._journal.open("a", encoding="utf-8") as journal:
                if journal.tell() == 0:
                    journal.write("\t".join(COLUMNS))
                # begin a line: a crash may have cut the last one
                journal.write("\n" + "\t".join(map(str, (*name, positions, zlib.crc32(values)))))
        self._positions[name] = positions
        self._unverified.pop(name, None)

    def _read_journal(self) -> None:
        """Read the journal, if it exists."""
        for line in (self._journal.read_text(encoding="utf-8") if self._journal.exists() else "").splitlines()[1:]:
            try:
                mine, theirs, positions, checksum = map(int, line.split("\t"))
            except ValueError:  # a crash has cut the line
                continue
            if max(mine, theirs) < self.width:
                self._positions[mine, theirs] = positions
                self._unverified[mine, theirs] = checksum


def _names(width: int) -> Iterator[Name]:
    """Yield the names of layers, smaller numbers first."""
    for number in range(width):
        yield from ((number, theirs) for theirs in range(number + 1))
        yield from ((mine, number) for mine in range(number))


def _mapped(file: Path, size: int) -> Any:
    """Map a file into memory as an array of bytes, after it was extended to a size.

    A file that is shorter and cannot be written is copied.
    """
    import numpy

    mode: Literal["c", "r+"] = "c"
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as opened:
            if opened.tell() < size:
                opened.truncate(size)
        mode = "r+"
    found = file.stat().st_size
    if found < size:
        values = numpy.zeros(size, numpy.uint8)
        values[:found] = numpy.fromfile(file, numpy.uint8, found)
        return values
    # compiled functions need a writable array, but do not write to it
    return numpy.asarray(numpy.memmap(file, numpy.uint8, mode, shape=(size,)))


class LayerPair:
    """Layers (m, o) and (o, m) while they are solved, or one layer if the numbers are equal."""

    def __init__(self, store: Layers, name: Name, memory: int, late: Callable[[], bool]) -> None:
        """Allocate both layers. The store has the smaller ones.

        Raises OutOfMemory if they need more than ``memory`` bytes.
        """
        bound = bind(ENTRY_POINTS, store.kernel._replace(rules=store.rules))
        self._look, self._count_edges, self._add_up, self._fill_in, self._return = bound
        self._store = store
        self._index = store.rules.index
        self._memory = memory
        self._late = late
        self._names = pair_of(name)
        self._take(sum(store.sizes[each] for each in self._names) * PLACE_BYTES)
        self._layers = [_new_layer(store.sizes[each]) for each in self._names]

    def solve(self) -> Iterator[tuple[Name, Numbers, int]]:
        """Yield the name, the values and the number of positions of each layer.

        Raises OutOfTime, OutOfMemory, and OverflowError as the functions do.
        """
        tallies = [self._survey(number) for number in range(len(self._names))]
        last = max(MAX_SURVEYED_VALUE, *(int(tally[LAST]) for tally in tallies))
        value, found = 0, 1
        while found > 0 or value <= last:
            value += 1
            found = sum(self._go_back(number, value) for number in range(len(self._layers)))
        for name, layer, tally in zip(self._names, self._layers, tallies, strict=True):
            yield name, layer.values, int(tally[POSITIONS])

    def _take(self, size: int) -> None:
        """Subtract from the free memory; raises OutOfMemory."""
        self._memory -= size
        if self._memory < 0:
            raise OutOfMemory("the layers need more memory than the limit")

    def _check_time(self) -> None:
        if self._late():
            raise OutOfTime("the time is over")

    def _survey(self, number: int) -> Numbers:
        """Survey a layer, and write its edges into the other layer; return the counters of the survey."""
        layer, target, store = self._layers[number], self._layers[-1 - number], self._store
        arena, found = store.kernel.arena(PLACES), zeros("q", LISTED_MOVES * store.rules.MOVE_NUMBERS)
        pairs, tally = zeros("i", EDGE_CHUNK * 2), zeros("q", 4)
        values, offsets, width = store.values, store.offsets, store.width
        kept: list[Any] = []
        edges = 0
        while tally[PLACE] < len(layer.values):
            self._check_time()
            tally[EDGES] = 0
            end = min(tally[PLACE] + SURVEY_CHUNK, len(layer.values))
            names = self._names[number]
            self._look(end, *names, self._index, arena, found, values, offsets, width, layer, pairs, tally)
            count = int(tally[EDGES])
            self._take(count * (PAIR_BYTES + PARENT_BYTES))
            edges += count
            kept.append(copy_of(pairs[: 2 * count]))
        for portion in kept:
            self._count_edges(portion, len(portion) // 2, target.starts)
        self._add_up(target.starts)
        parents = zeros("i", edges)
        while kept:
            portion = kept.pop()
            self._fill_in(portion, len(portion) // 2, target.starts, parents)
        self._take(-edges * PAIR_BYTES)
        self._layers[-1 - number] = target._replace(parents=parents)
        return tally

    def _go_back(self, number: int, value: int) -> int:
        """Propagate from the positions of a layer with a value; return their number."""
        name, layer, origins = self._names[number], self._layers[number], self._layers[-1 - number]
        found = zeros("q", ORIGINS * 2)
        count = 0
        for begin in range(0, len(layer.values), PROPAGATION_CHUNK):
            self._check_time()
            end = min(begin + PROPAGATION_CHUNK, len(layer.values))
            count += self._return(value, begin, end, *name, layer, origins, self._index, found)
        return count


def _new_layer(places: int) -> Layer:
    typecodes = (("B", places), ("B", places), ("h", places), ("I", places + 1), ("i", 0))
    return Layer(*(zeros(typecode, count) for typecode, count in typecodes))


Place = tuple[Name, int]
"""A layer and a place in it."""


def all_places(layers: Layers, names: Sequence[Name]) -> Iterator[Place]:
    """Yield every place of layers in order."""
    return ((name, number) for name in names for number in range(layers.sizes[name]))


def random_places(layers: Layers, names: Sequence[Name], seed: int) -> Iterator[Place]:
    """Yield random places of layers without end, with equal probability. A seed gives the same places everywhere."""
    ends = list(accumulate(layers.sizes[name] for name in names))
    for drawn in count():
        number = int.from_bytes(blake2b(f"{seed} {drawn}".encode(), digest_size=16).digest()) % ends[-1]
        at = bisect_right(ends, number)
        yield names[at], ends[at] - 1 - number


def position_at(layers: Layers, place: Place) -> GipfState | None:
    """Return the position in a place, None if the place is unused."""
    rules, ((mine, theirs), number) = layers.rules, place
    assert isinstance(rules, GipfLayerRules)
    sets = len(rules.index.least) + 1
    row = min(theirs, rules.FIELDS) * sets
    own, other = rules.sets_at(
        number, bisect_right(rules.index.firsts, number, row, row + sets) - row - 1, theirs, rules.index
    )
    if rules.has_run(other) or rules.place_of(own, other, theirs, rules.index)[0] != number:
        return None
    return GipfState(own, other, mine - popcount(own), theirs - popcount(other), 0)


def expected_value(layers: Layers, state: State) -> ExactValue:
    """Return the value that follows by the rules from the values after all moves."""
    rules = layers.kernel.rules
    if rules.verdict(state) != UNDECIDED:
        return ExactValue(-1, 0)
    arena = layers.kernel.arena(MAX_CHILDREN)
    end = rules.children(state, arena, 0)
    after = [layers.exact_value(rules.load(arena, number)) for number in range(end)]
    lost = [known.plies for known in after if known is not None and known.result < 0]
    won = [known.plies for known in after if known is not None and known.result > 0]
    if lost:
        return ExactValue(1, min(lost) + 1)
    return ExactValue(-1, max(won) + 1) if len(won) == end else ExactValue(0, 0)
