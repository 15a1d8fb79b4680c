"""Solving layer after layer, from the smallest on, up to the layer of a position, and storing their values.

Values are kept in memory, or in a directory, from which they are read again. All of them lie in one array, layer behind
layer, those with the smaller numbers in their names first; so a store for larger ones is the same with more behind it.
On disk that is a file which is mapped into memory, with holes for what is not solved. A journal beside it has a line
for each layer that is complete, with a checksum of its values: a layer without its line, or with values that do not fit
it, is not there. Files that cannot be written are read all the same.

Layers are verified by the rules alone: each value has to follow from those of the positions that moves lead to. That
proves a whole tablebase in which it holds everywhere. What is lost in 0 plies is lost by the rules; a win or a loss in
n plies rests on values of fewer; and from a draw no move wins, but one leads to another draw, for ever.
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

SURVEYED_AT_A_TIME = 1 << 17
"""Places that are surveyed between two looks at the clock."""

JUDGED_AT_A_TIME = 1 << 22
"""Places that are gone through between two looks at the clock."""

PLACES = 1 << 12
"""Room for the ways to collect rows after one push."""

LISTED_MOVES = 1 << 12
"""Room for the moves of one position."""

ORIGINS = 1 << 10
"""Room for the ways back from one position."""

HIGHEST_SURVEYED = 2
"""The highest value that a survey gives to positions itself."""

EDGES_AT_A_TIME = 1 << 17
"""Room for the edges that a survey notes before they are put away."""

PLACE_BYTES = 1 + 1 + 2 + 4
"""Bytes of a place of a layer while it is solved."""

PAIR_BYTES, PARENT_BYTES = 8, 4
"""Bytes of an edge as a pair, and among those to the same place."""

Name = tuple[int, int]
"""The two numbers by which the side to move names a layer."""


class Judgement(NamedTuple):
    """The exact value of a position."""

    result: int
    """For the side to move: 1 won, -1 lost, 0 drawn."""
    plies: int
    """Plies to the end of the game with perfect play; 0 for a draw."""


class OutOfTime(Exception):
    """The deadline has come."""


class OutOfMemory(Exception):
    """More memory is needed than the limit."""


def layer_rules(kernel: Kernel) -> LayerRules:
    """Return the rules of a kernel with what layers need; only for games that have them."""
    assert kernel.rules.layers is not None
    return kernel.rules.layers()


def layer_of(kernel: Kernel) -> Name:
    """Return the layer that the position of a kernel lies in."""
    mine, theirs = layer_rules(kernel).layer_of(kernel.state)
    return int(mine), int(theirs)


def needed(largest: Name) -> list[Name]:
    """List the layers that games from one can come to, smaller ones first, one of each two that belong together."""
    mine, theirs = largest
    names = {(max(m, o), min(m, o)) for m in range(mine + 1) for o in range(theirs + 1)}
    return sorted(names, key=lambda name: (sum(name), name))


def both(name: Name) -> tuple[Name, ...]:
    """Return a layer and the one that its moves lead to: one where the numbers are equal."""
    mine, theirs = name
    return (name,) if mine == theirs else (name, (theirs, mine))


class Layers:
    """Layers of one game, up to a largest one. Only for kernels that have ``layers``."""

    def __init__(self, kernel: Kernel, largest: Name, *, memory: int, directory: Path | None = None) -> None:
        """Begin with what is in a directory, if one is given, and take at most ``memory`` bytes beside its files.

        Raises OutOfMemory where it is clear from the beginning that these are too few without a directory, and OSError
        where the directory cannot be read.
        """
        self.kernel = kernel
        self.rules = layer_rules(kernel)
        self.width = max(largest) + 1
        self.sizes = {name: int(self.rules.places(*name, self.rules.index)) for name in _names(self.width)}
        """Places of each layer."""
        self.offsets = zeros("q", self.width**2)
        """The first value of layer (m, o) is ``values[offsets[m * width + o]]``."""
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
            if self._memory < sum(self.sizes[name] for name in both(largest)) * PLACE_BYTES:
                raise OutOfMemory("all layers together take more memory than is allowed")
            self.values: Any = memoryview(cast(Any, zeros("B", total)))
        else:
            self._file = directory / f"{kernel.rules.label}.layers"
            self._journal = directory / f"{kernel.rules.label}.journal"
            self.values = _mapped(self._file, total)
            self._read_journal()

    def places(self, largest: Name) -> int:
        """Return how many places there are in a layer and all below it: no less than there are positions."""
        return sum(self.sizes[name] for pair in needed(largest) for name in both(pair))

    def total(self, largest: Name) -> int:
        """Return the number of positions of a layer and of all below it, as far as they are solved."""
        return sum(self._positions.get(name, 0) for pair in needed(largest) for name in both(pair))

    def is_there(self, name: Name) -> bool:
        """Tell whether a layer is there, with its values as they were written."""
        if name in self._unverified:
            if zlib.crc32(self._layer(name)) != self._unverified[name]:
                del self._positions[name]
            del self._unverified[name]
        return name in self._positions

    def differing(self) -> list[Name]:
        """List the layers whose values are not as they were written; from then on they count as written so."""
        found = [name for name, expected in self._unverified.items() if zlib.crc32(self._layer(name)) != expected]
        self._unverified.clear()
        return found

    def missing(self, largest: Name) -> list[Name]:
        """List the layers to solve before the value of every position of one is known, in the order to solve them in.

        Of two that belong together only one is named. A layer that is there needs no others.
        """
        if self.is_there(largest):
            return []
        return [pair for pair in needed(largest) if not all(map(self.is_there, both(pair)))]

    def solve(self, pair: Name, late: Callable[[], bool]) -> None:
        """Solve a layer and the one that belongs to it, all smaller ones being there.

        Raises OutOfTime soon after ``late()`` says so, OutOfMemory, OverflowError for games that are too long, and
        OSError where a layer cannot be written; what was solved before stays so.
        """
        for name, values, positions in LayerPair(self, pair, self._memory, late).solve():
            self._put(name, values, positions)

    def solve_all(self, largest: Name, late: Callable[[], bool] = lambda: False) -> None:
        """Solve what is missing of a layer and all below it; raises as `solve` does."""
        for pair in self.missing(largest):
            self.solve(pair, late)

    def fill(self, values: bytes) -> None:
        """Take the values of all layers at once, into memory; their positions are not counted."""
        self.values[:] = values
        self._positions = dict.fromkeys(self.sizes, 0)

    def place_of(self, name: Name, place: int) -> int:
        """Return where the value of a place lies among all values."""
        return int(self.offsets[name[0] * self.width + name[1]]) + place

    def judgement(self, state: State) -> Judgement | None:
        """Return what is known of a position, None where its layer is not solved."""
        name = layer_of(self.kernel._replace(state=state))
        if not self.is_there(name):
            return None
        value = int(self.values[self.place_of(name, int(self.rules.place_in_layer(state, self.rules.index)))])
        if value == 0:
            return Judgement(0, 0)
        return Judgement(-1 if value & 1 else 1, value - 1)

    def known(self) -> TablebaseLayers:
        """Return the layers that are there, as a search looks positions up in them."""
        offsets = zeros("q", self.width**2)
        for name in self.sizes:
            at = name[0] * self.width + name[1]
            offsets[at] = self.offsets[at] if self.is_there(name) else -1
        return TablebaseLayers(cast(Numbers, memoryview(self.values)), offsets, self.width, self.rules.index)

    def _layer(self, name: Name) -> Any:
        return self.values[self.place_of(name, 0) : self.place_of(name, self.sizes[name])]

    def _put(self, name: Name, values: Any, positions: int) -> None:
        """Add a solved layer. Raises OSError where it cannot be written."""
        if self._file is None:
            self.values[self.place_of(name, 0) : self.place_of(name, len(values))] = values
        else:
            with self._file.open("r+b") as opened:
                opened.seek(self.place_of(name, 0))
                opened.write(values)
            with self._journal.open("a", encoding="utf-8") as journal:
                if journal.tell() == 0:
                    journal.write("\t".join(COLUMNS))
                # a crash may have cut the line before
                journal.write("\n" + "\t".join(map(str, (*name, positions, zlib.crc32(values)))))
        self._positions[name] = positions
        self._unverified.pop(name, None)

    def _read_journal(self) -> None:
        """Take what the journal has, if it was begun."""
        text = self._journal.read_text(encoding="utf-8") if self._journal.exists() else ""
        for line in text.splitlines()[1:]:
            try:
                mine, theirs, positions, checksum = map(int, line.split("\t"))
            except ValueError:  # a crash has cut the line
                continue
            if max(mine, theirs) < self.width:
                self._positions[mine, theirs] = positions
                self._unverified[mine, theirs] = checksum


def _names(width: int) -> Iterator[Name]:
    """Yield the names of layers, those with the smaller numbers first."""
    for number in range(width):
        yield from ((number, theirs) for theirs in range(number + 1))
        yield from ((mine, number) for mine in range(number))


def _mapped(file: Path, size: int) -> Any:
    """Return the bytes of a file, made at least so long, as an array that follows what is written to it.

    A file that cannot be written, and is shorter, is copied.
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
    # compiled functions take an array that may be written to; nobody writes to this one
    return numpy.asarray(numpy.memmap(file, numpy.uint8, mode, shape=(size,)))


class LayerPair:
    """Layers (m, o) and (o, m) while they are solved, or one where the numbers are equal."""

    def __init__(self, store: Layers, name: Name, memory: int, late: Callable[[], bool]) -> None:
        """Make room for both layers; the smaller ones are taken from the store.

        Raises OutOfMemory where more than ``memory`` bytes are needed.
        """
        bound = bind(ENTRY_POINTS, store.kernel._replace(rules=store.rules))
        self._look, self._count_edges, self._add_up, self._fill_in, self._return = bound
        self._store = store
        self._index = store.rules.index
        self._memory = memory
        self._late = late
        self._names = both(name)
        self._take(sum(store.sizes[each] for each in self._names) * PLACE_BYTES)
        self._layers = [_new_layer(store.sizes[each]) for each in self._names]

    def solve(self) -> Iterator[tuple[Name, Numbers, int]]:
        """Yield name, values and number of positions of both layers, or the one.

        Raises OutOfTime, OutOfMemory, and OverflowError as the functions do.
        """
        tallies = [self._survey(number) for number in range(len(self._names))]
        last = max(HIGHEST_SURVEYED, *(int(tally[LAST]) for tally in tallies))
        value, found = 0, 1
        while found > 0 or value <= last:
            value += 1
            found = sum(self._go_back(number, value) for number in range(len(self._layers)))
        for name, layer, tally in zip(self._names, self._layers, tallies, strict=True):
            yield name, layer.values, int(tally[POSITIONS])

    def _take(self, size: int) -> None:
        """Account for memory."""
        self._memory -= size
        if self._memory < 0:
            raise OutOfMemory("it takes more memory than is allowed")

    def _check_time(self) -> None:
        if self._late():
            raise OutOfTime("the time is over")

    def _survey(self, number: int) -> Numbers:
        """Survey a layer, and note its edges with the other one; return the counters of the survey."""
        layer, target, store = self._layers[number], self._layers[-1 - number], self._store
        arena, found = store.kernel.arena(PLACES), zeros("q", LISTED_MOVES * store.rules.MOVE_NUMBERS)
        pairs, tally = zeros("i", EDGES_AT_A_TIME * 2), zeros("q", 4)
        values, offsets, width = store.values, store.offsets, store.width
        kept: list[Any] = []
        edges = 0
        while tally[PLACE] < len(layer.values):
            self._check_time()
            tally[EDGES] = 0
            end = min(tally[PLACE] + SURVEYED_AT_A_TIME, len(layer.values))
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
        """Go back from the positions of a layer that have a value; return how many they are."""
        name, layer, origins = self._names[number], self._layers[number], self._layers[-1 - number]
        found = zeros("q", ORIGINS * 2)
        count = 0
        for begin in range(0, len(layer.values), JUDGED_AT_A_TIME):
            self._check_time()
            end = min(begin + JUDGED_AT_A_TIME, len(layer.values))
            count += self._return(value, begin, end, *name, layer, origins, self._index, found)
        return count


def _new_layer(places: int) -> Layer:
    typecodes = (("B", places), ("B", places), ("h", places), ("I", places + 1), ("i", 0))
    return Layer(*(zeros(typecode, count) for typecode, count in typecodes))


Place = tuple[Name, int]
"""A layer, and the number of a place in it."""


def all_places(layers: Layers, names: Sequence[Name]) -> Iterator[Place]:
    """Yield every place of some layers, in their order."""
    return ((name, number) for name in names for number in range(layers.sizes[name]))


def random_places(layers: Layers, names: Sequence[Name], seed: int) -> Iterator[Place]:
    """Yield places of some layers without end, each with the same chance; a seed gives the same ones everywhere."""
    ends = list(accumulate(layers.sizes[name] for name in names))
    for drawn in count():
        number = int.from_bytes(blake2b(f"{seed} {drawn}".encode(), digest_size=16).digest()) % ends[-1]
        at = bisect_right(ends, number)
        yield names[at], ends[at] - 1 - number


def position_at(layers: Layers, place: Place) -> GipfState | None:
    """Return the position in a place; None where no position has it."""
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


def expected_value(layers: Layers, state: State) -> Judgement:
    """Return the value that follows by the rules from those of the positions that moves lead to."""
    rules = layers.kernel.rules
    if rules.verdict(state) != UNDECIDED:
        return Judgement(-1, 0)
    arena = layers.kernel.arena(MAX_CHILDREN)
    end = rules.children(state, arena, 0)
    after = [layers.judgement(rules.load(arena, number)) for number in range(end)]
    lost = [known.plies for known in after if known is not None and known.result < 0]
    won = [known.plies for known in after if known is not None and known.result > 0]
    if lost:
        return Judgement(1, min(lost) + 1)
    return Judgement(-1, max(won) + 1) if len(won) == end else Judgement(0, 0)
