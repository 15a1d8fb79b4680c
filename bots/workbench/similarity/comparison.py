"""Pairs of programs by the fingerprints that they share, and the places of these (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.workbench.similarity.fingerprints import run_hashes, winnow
from bots.workbench.similarity.tokens import ReadsTooLong, tokenize

SLICE = 8192
"""Fingerprints that are counted at once."""

MAX_GAP = 6
"""Lines between two shared runs that still belong to one passage: somebody has put these in."""

MAX_PLACES = 16
"""Places of one fingerprint in a program that are looked at: a table of numbers has the same one in every line."""

MAX_PASSAGES = 30
"""Passages of a pair that are shown, the longest ones."""


@dataclass(frozen=True)
class Fingerprinted:
    """A program by its fingerprints, in the order of their places, without those of code that was handed out."""

    name: str
    hashes: NDArray[np.uint64]
    places: Sequence["Place"]
    unread: Sequence[str] = ()
    """Files that could not be read in time."""


class Place(NamedTuple):
    """Lines of a file, from 1 on, the last one included."""

    file: str
    first: int
    last: int


class Passage(NamedTuple):
    """A place in each of two programs whose tokens are alike, and how many fingerprints they share there."""

    one: Place
    other: Place
    fingerprints: int


class Pair(NamedTuple):
    """Two programs, how many fingerprints they share, of how many that each of them has, and where."""

    one: str
    other: str
    shared: int
    of_one: int
    of_other: int
    passages: tuple[Passage, ...]

    @property
    def part(self) -> float:
        """The part of the smaller program that is shared, 0 to 1."""
        return self.shared / max(min(self.of_one, self.of_other), 1)


def handed_out(files: Mapping[str, str]) -> NDArray[np.uint64]:
    """Return the hashes of all runs of tokens in code that everybody was given. Raises `ReadsTooLong`."""
    hashes = [run_hashes(tokenize(path, text)) for path, text in files.items()]
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))


def fingerprint(name: str, files: Mapping[str, str], base: NDArray[np.uint64]) -> Fingerprinted:
    """Return a program by its fingerprints, without those in ``base``, which is sorted."""
    hashes: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
    places: list[Place] = []
    unread: list[str] = []
    for path, text in files.items():
        try:
            found = winnow(tokenize(path, text))
        except ReadsTooLong:
            unread.append(path)
            continue
        own = ~np.isin(found.hashes, base)
        hashes.append(found.hashes[own])
        places += [
            Place(path, int(first), int(last))
            for first, last in zip(found.first_lines[own], found.last_lines[own], strict=True)
        ]
    return Fingerprinted(name, np.concatenate(hashes), places, unread)


def most_similar(programs: Sequence[Fingerprinted], count: int) -> list[Pair]:
    """Return the pairs that share most fingerprints, at most ``count``; none that share nothing."""
    shared = _count_shared([program.hashes for program in programs])
    ones, others = np.triu_indices(len(programs), 1)
    numbers = shared[ones, others]
    # the most first; of equal ones those that come first by name
    order = np.argsort(-numbers, kind="stable")[:count]
    sizes = [len(np.unique(program.hashes)) for program in programs]
    return [
        Pair(
            programs[one].name,
            programs[other].name,
            int(number),
            sizes[one],
            sizes[other],
            passages(programs[one], programs[other]),
        )
        for one, other, number in zip(ones[order], others[order], numbers[order], strict=True)
        if number
    ]


def passages(one: Fingerprinted, other: Fingerprinted) -> tuple[Passage, ...]:
    """Return where two programs share fingerprints, the longest passages first, `MAX_PASSAGES` at most."""
    where: dict[int, list[Place]] = defaultdict(list)
    for number, place in _with_few_places(other):
        where[number].append(place)
    found: list[Passage] = []
    for number, place in _with_few_places(one):
        candidates = where.get(number)
        if not candidates:
            continue
        last = found[-1] if found else None
        following = next((at for at in candidates if last and _follows(at, last.other)), None)
        if last and following and _follows(place, last.one):
            found[-1] = Passage(_joined(last.one, place), _joined(last.other, following), last.fingerprints + 1)
        else:
            found.append(Passage(place, candidates[0], 1))
    found.sort(key=lambda passage: -passage.fingerprints)
    return tuple(found[:MAX_PASSAGES])


def _with_few_places(program: Fingerprinted) -> Iterator[tuple[int, Place]]:
    """Yield fingerprints with their places, the first `MAX_PLACES` of each."""
    seen: Counter[int] = Counter()
    for number, place in zip(program.hashes.tolist(), program.places, strict=True):
        seen[number] += 1
        if seen[number] <= MAX_PLACES:
            yield number, place


def _count_shared(hashes: Iterable[NDArray[np.uint64]]) -> NDArray[np.int64]:
    """Return how many different hashes each two of several sets share."""
    sets = [np.unique(one) for one in hashes]
    owners = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    different, numbers = np.unique(np.concatenate([np.zeros(0, np.uint64), *sets]), return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    numbers, owners = numbers[order], owners[order]
    shared = np.zeros((len(sets), len(sets)), np.int64)
    for start in range(0, len(different), SLICE):
        low, high = np.searchsorted(numbers, (start, start + SLICE))
        # single precision: a product of matrices of floats is fast, and exact for numbers as small as these
        holds = np.zeros((SLICE, len(sets)), np.float32)
        holds[numbers[low:high] - start, owners[low:high]] = 1
        shared += (holds.T @ holds).astype(np.int64)
    return shared


def _follows(place: Place, before: Place) -> bool:
    return place.file == before.file and before.first <= place.first <= before.last + MAX_GAP


def _joined(before: Place, place: Place) -> Place:
    return before._replace(last=max(before.last, place.last))
