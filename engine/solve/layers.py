"""Solving layer after layer, from the smallest on, up to the layer of a position, and where their values are kept.

`LayerPair` solves a layer together with the one that its moves lead to, as `engine.solve.layer_values` says.

Values are kept in memory, or in a directory, from which they are read again. All of them lie in one array, layer behind
layer, those with the smaller numbers in their names first; so a store for larger ones is the same with more behind it.
On disk that is a file which is mapped into memory, with holes for what is not solved. A journal beside it has a line
for each layer that is complete, with a checksum of its values: a layer without its line, or with values that do not fit
it, is not there. Files that cannot be written are read all the same.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from engine.compiling.binding import Numbers, copy_of, zeros
from engine.games.interface import Kernel, LayerRules, State
from engine.games.kernels import bind
from engine.search.memory import KnownLayers
from engine.solve.layer_values import EDGES, ENTRY_POINTS, LAST, PLACE, POSITIONS, Layer

COLUMNS = ("mine", "theirs", "positions", "checksum")
"""Of a line of the journal, separated by tabs."""


Name = tuple[int, int]
"""The two numbers by which the side to move names a layer."""


class LayerStore:
    """Solved layers of one game. ``values[offsets[m * width + o]]`` is the first value of layer (m, o)."""

    def __init__(self, kernel: Kernel, sizes: Sequence[Sequence[int]], directory: Path | None = None) -> None:
        """Make room for all layers (m, o), which have ``sizes[m][o]`` places, with m and o below ``len(sizes)``.

        With a directory, take what is there already. Raises OSError where it cannot be read.
        """
        self.width = len(sizes)
        self._sizes = sizes
        self._positions: dict[Name, int] = {}
        self._unverified: dict[Name, int] = {}
        self._file: Path | None = None
        self.offsets = zeros("q", self.width**2)
        total = 0
        for mine, theirs in _names(self.width):
            self.offsets[mine * self.width + theirs] = total
            total += self._sizes[mine][theirs]
        if directory is None:
            self.values: Any = memoryview(
                cast(Any, zeros("B", total))
            )  # or a file that is mapped, which is not written to
            return
        name = kernel.rules.label
        self._file = directory / f"{name}.layers"
        self._journal = directory / f"{name}.journal"
        self.values = _mapped(self._file, total)
        self._read_journal()

    def is_there(self, name: Name) -> bool:
        """Tell whether a layer is there, with its values as they were written."""
        if name in self._unverified:
            if zlib.crc32(self._layer(name)) != self._unverified[name]:
                del self._positions[name]
            del self._unverified[name]
        return name in self._positions

    def differing(self) -> list[Name]:
        """List the layers whose values are not as they were written; from then on these are there, to be looked at."""
        found = [name for name, expected in self._unverified.items() if zlib.crc32(self._layer(name)) != expected]
        self._unverified.clear()
        return found

    def positions(self, name: Name) -> int:
        """Return the number of positions of a layer up to symmetry, without a look at its values; 0 if unsolved."""
        return self._positions.get(name, 0)

    def put(self, name: Name, values: Any, positions: int) -> None:
        """Add a solved layer. Raises OSError where it cannot be written."""
        start = self._start(name)
        if self._file is None:
            self.values[start : start + len(values)] = values
        else:
            with self._file.open("r+b") as opened:
                opened.seek(start)
                opened.write(values)
            words = [*name, positions, zlib.crc32(values)]
            with self._journal.open("a", encoding="utf-8") as journal:
                if journal.tell() == 0:
                    journal.write("\t".join(COLUMNS))
                journal.write("\n" + "\t".join(map(str, words)))  # a crash may have cut the line before
        self._positions[name] = positions
        self._unverified.pop(name, None)

    def fill(self, values: bytes) -> None:
        """Take the values of all layers at once, into memory; their positions are not counted."""
        self.values[:] = values
        self._positions = dict.fromkeys(_names(self.width), 0)

    def value(self, name: Name, place: int) -> int:
        """Return a value of a layer that is there."""
        return int(self.values[self._start(name) + place])

    def byte_of(self, name: Name, place: int) -> int:
        """Return where the value of a place lies in the file."""
        return self._start(name) + place

    def _start(self, name: Name) -> int:
        return int(self.offsets[name[0] * self.width + name[1]])

    def _layer(self, name: Name) -> Any:
        start = self._start(name)
        return self.values[start : start + self._sizes[name[0]][name[1]]]

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


SURVEYED_AT_A_TIME = 1 << 17
"""Places that a thread surveys between two looks at the clock."""

JUDGED_AT_A_TIME = 1 << 22
"""Places that are gone through between two looks at the clock."""

ARENA_PLACES = 1 << 12
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
"""What a place of a layer takes while it is solved."""

PAIR_BYTES = 8
EDGE_BYTES = PAIR_BYTES + 4
"""What an edge takes: as a pair at first, and among those to the same place."""


class Judgement(NamedTuple):
    """The exact value of a position."""

    result: int
    """For the side to move: 1 won, -1 lost, 0 drawn."""
    plies: int
    """Plies to the end of the game with perfect play; 0 for a draw."""


class OutOfTime(Exception):
    """The deadline has come. ``str(error)`` is a clause for people, as that of the next one is."""


class OutOfMemory(Exception):
    """More memory is needed than the limit."""


class Solved(NamedTuple):
    """A layer that is solved."""

    name: Name
    values: Numbers
    """See `engine.solve.layer_values`."""
    positions: int


def layer_rules(kernel: Kernel) -> LayerRules:
    """Return the rules of a kernel with what layers need; only for games that have them."""
    assert kernel.rules.layers is not None
    return kernel.rules.layers()


class LayerPair:
    """Layers (m, o) and (o, m), or one where the numbers are equal."""

    def __init__(
        self,
        kernel: Kernel,
        name: Name,
        sizes: Sequence[Sequence[int]],
        store: LayerStore,
        *,
        memory: int,
        late: Callable[[], bool],
    ) -> None:
        """Make room for both layers; the smaller ones are taken from the store.

        Raises OutOfMemory where more than ``memory`` bytes are needed.
        """
        self._rules = layer_rules(kernel)
        self._kernel = kernel._replace(rules=self._rules)
        bound = bind(ENTRY_POINTS, self._kernel)
        self._look, self._count_edges, self._add_up, self._fill_in, self._return = bound
        self._store = store
        self._memory = memory
        self._late = late
        self._names = list(dict.fromkeys((name, name[::-1])))
        self._take(sum(sizes[mine][theirs] for mine, theirs in self._names) * PLACE_BYTES)
        self._layers = [self._layer(sizes[mine][theirs]) for mine, theirs in self._names]

    def solve(self) -> list[Solved]:
        """Return both layers solved, or the one.

        Raises OutOfTime, OutOfMemory, and OverflowError as the functions do.
        """
        surveys = [self._survey(number) for number in range(len(self._names))]
        self._judge(max(last for _, last in surveys))
        return [
            Solved(name, layer.values, positions)
            for name, layer, (positions, _) in zip(self._names, self._layers, surveys, strict=True)
        ]

    def _layer(self, places: int) -> Layer:
        typecodes = (("B", places), ("B", places), ("h", places), ("I", places + 1), ("i", 0))
        return Layer(*(zeros(typecode, count) for typecode, count in typecodes))

    def _take(self, size: int) -> None:
        """Account for memory."""
        self._memory -= size
        if self._memory < 0:
            raise OutOfMemory("it takes more memory than is allowed")

    def _survey(self, number: int) -> tuple[int, int]:
        """Survey a layer, and note its edges with the other one; return its positions and highest exit."""
        target = self._layers[-1 - number]
        begins = range(0, len(self._layers[number].values), SURVEYED_AT_A_TIME)
        positions = edges = last = 0
        kept = []
        for portions, tally in (self._survey_from(begin, number) for begin in begins):
            self._take(int(tally[EDGES]) * EDGE_BYTES)
            positions += int(tally[POSITIONS])
            edges += int(tally[EDGES])
            last = max(last, int(tally[LAST]))
            kept += portions
        for pairs in kept:
            self._count_edges(pairs, len(pairs) // 2, target.starts)
        self._add_up(target.starts)
        parents = zeros("i", edges)
        while kept:
            pairs = kept.pop()
            self._fill_in(pairs, len(pairs) // 2, target.starts, parents)
        self._take(-edges * PAIR_BYTES)
        self._layers[-1 - number] = target._replace(parents=parents)
        return positions, last

    def _survey_from(self, begin: int, number: int) -> tuple[list[Any], Any]:
        """Survey a portion of a layer; return its edges, in portions, and counters."""
        kernel, name, layer, store = self._kernel, self._names[number], self._layers[number], self._store
        arena, found = kernel.arena(ARENA_PLACES), zeros("q", LISTED_MOVES * self._rules.LISTED)
        pairs = zeros("i", EDGES_AT_A_TIME * 2)
        index, width = self._rules.index, store.width
        tally = zeros("q", 4)
        end = min(begin + SURVEYED_AT_A_TIME, len(layer.values))
        tally[PLACE] = begin
        edges = 0
        portions = []
        while tally[PLACE] < end:
            if self._late():
                raise OutOfTime("the time is over")
            tally[EDGES] = 0
            self._look(end, *name, index, arena, found, store.values, store.offsets, width, layer, pairs, tally)
            portions.append(copy_of(pairs[: 2 * tally[EDGES]]))
            edges += int(tally[EDGES])
        tally[EDGES] = edges
        return portions, tally

    def _judge(self, last: int) -> None:
        """Go back from what is won or lost, ply by ply; ``last`` is the highest value of an exit."""
        value, found = 0, 1
        while found > 0 or value <= max(last, HIGHEST_SURVEYED):
            value += 1
            found = sum(self._go_back(number, value) for number in range(len(self._layers)))

    def _go_back(self, number: int, value: int) -> int:
        """Go back from the positions of a layer that have a value; return how many they are."""
        name, layer, origins = self._names[number], self._layers[number], self._layers[-1 - number]
        found = zeros("q", ORIGINS * 2)
        index = self._rules.index
        return sum(
            self._return(value, begin, end, *name, layer, origins, index, found) for begin, end in self._portions(layer)
        )

    def _portions(self, layer: Layer) -> Iterator[tuple[int, int]]:
        """Yield beginning and end of portions of a layer's places, while it is not late."""
        for begin in range(0, len(layer.values), JUDGED_AT_A_TIME):
            if self._late():
                raise OutOfTime("the time is over")
            yield begin, min(begin + JUDGED_AT_A_TIME, len(layer.values))


class Layers(LayerStore):
    """Layers of one game, up to a largest one. Only for kernels that have ``layers``."""

    def __init__(self, kernel: Kernel, largest: Name, *, memory: int, directory: Path | None = None) -> None:
        """Begin with what is in a directory, if one is given, and take at most ``memory`` bytes beside its files.

        Raises OutOfMemory where it is clear from the beginning that these are too few without a directory, and OSError
        where the directory cannot be read.
        """
        self._kernel = kernel
        self._rules = rules = layer_rules(kernel)
        every = range(max(largest) + 1)
        sizes = self._sizes = [[int(rules.places(mine, theirs, rules.index)) for theirs in every] for mine in every]
        self._memory = memory
        if directory is None:
            self._memory -= self.places(largest)
            if self._memory < self._places_of(largest) * PLACE_BYTES:
                raise OutOfMemory("all layers together take more memory than is allowed")
        super().__init__(kernel, sizes, directory)

    def places(self, largest: Name) -> int:
        """Return how many places there are in a layer and all below it: no less than there are positions."""
        return sum(map(self._places_of, needed(largest)))

    def missing(self, largest: Name) -> list[Name]:
        """List the layers to solve before the value of every position of one is known, in the order to solve them in.

        Of two that belong together only one is named. A layer that is there needs no others.
        """
        if self.is_there(largest):
            return []
        return [pair for pair in needed(largest) if not all(self.is_there(name) for name in (pair, pair[::-1]))]

    def solve(self, pair: Name, late: Callable[[], bool]) -> None:
        """Solve a layer and the one that belongs to it, all smaller ones being there.

        Raises OutOfTime soon after ``late()`` says so, OutOfMemory, OverflowError for games that are too long, and
        OSError where a layer cannot be written; what was solved before stays so.
        """
        layers = LayerPair(self._kernel, pair, self._sizes, self, memory=self._memory, late=late)
        for solved in layers.solve():
            self.put(solved.name, solved.values, solved.positions)

    def total(self, largest: Name) -> int:
        """Return the number of positions of a layer and of all below it, as far as they are solved."""
        return sum(self.positions(name) for pair in needed(largest) for name in {pair, pair[::-1]})

    def judgement(self, state: State) -> Judgement | None:
        """Return what is known of a position, None where its layer is not solved."""
        name = layer_of(self._kernel._replace(state=state))
        if not self.is_there(name):
            return None
        rules = self._rules
        value = self.value(name, int(rules.place_in_layer(state, rules.index)))
        if value == 0:
            return Judgement(0, 0)
        return Judgement(-1 if value & 1 else 1, value - 1)

    def known(self) -> KnownLayers:
        """Return the layers that are there, as a search looks positions up in them."""
        store, rules = self, self._rules
        offsets = zeros("q", store.width**2)
        for mine, theirs in product(range(store.width), repeat=2):
            at = mine * store.width + theirs
            offsets[at] = store.offsets[at] if store.is_there((mine, theirs)) else -1
        return KnownLayers(cast(Numbers, memoryview(store.values)), offsets, store.width, rules.index)

    def _places_of(self, pair: Name) -> int:
        """Return how many places a layer has, together with the one that belongs to it."""
        return sum(self._sizes[mine][theirs] for mine, theirs in {pair, pair[::-1]})


def layer_of(kernel: Kernel) -> Name:
    """Return the layer that the position of a kernel lies in."""
    mine, theirs = layer_rules(kernel).layer_of(kernel.state)
    return int(mine), int(theirs)


def needed(largest: Name) -> list[Name]:
    """List the layers that games from one can come to, smaller ones first, one of each two that belong together."""
    mine, theirs = largest
    names = {(max(m, o), min(m, o)) for m in range(mine + 1) for o in range(theirs + 1)}
    return sorted(names, key=lambda name: (sum(name), name))
