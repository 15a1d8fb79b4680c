"""Integers of several machine words compute what Python's do, whatever their width."""

import pickle
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given, strategies as st

from engine.compiling.binding import can_compile, get_fields, popcount, put_fields, specialise
from engine.compiling.wide_integers import WideInteger, WideTable, width_for
from engine.games.gipf.rules import smear_down

WIDTHS = [
    128,
    pytest.param(320, marks=pytest.mark.thorough),
    *(pytest.param(64 * words, marks=pytest.mark.campaign) for words in (3, 4, 6, 7, 8, 9)),
]

compiled = pytest.mark.skipif(not can_compile(), reason="nothing is compiled with NUMBA_DISABLE_JIT")

ALL = (1 << 127) - 1
"""Bound to every bit but the sign: only numbers >= 0 are counted."""

TABLE: Any = (7, 1 << 99, -3)
LAST = 2
"""The place of the last number of `TABLE`."""


class Pair(NamedTuple):
    """Two numbers and a machine word, as the state of a game holds them."""

    left: int
    right: int
    word: int


def bitwise(pair: Pair) -> tuple[int, int, int, int, int, int]:
    left, right, _ = pair
    return left & right, left | right, left ^ right, ~left, left & ~right, left & -left


def sums(pair: Pair) -> tuple[int, int, int, int, int, int]:
    left, right, word = pair
    return left + right, left - right, -left, left - 1, word + left, (left & -left) - 1


def shifts(pair: Pair) -> tuple[int, int, int, int]:
    left, right, word = pair
    up, down = left, right
    up <<= word
    down >>= word
    return left << word, left >> word, up, down


def comparisons(pair: Pair) -> tuple[bool, bool, bool, bool, bool, bool, bool, bool, bool]:
    left, right, word = pair
    beside = left > word, left == word, left < 0
    return left == right, left != right, left < right, left <= right, left > right, left >= right, *beside


def counts(pair: Pair) -> tuple[int, int, int, int]:
    left, right, _ = pair
    zeros = 0 if left == 0 else popcount(((left & -left) - 1) & ALL)
    return popcount(left & ALL), popcount((left ^ right) & ALL), zeros, int(right & 0x7FFF_FFFF_FFFF_FFFF)


def mixed(pair: Pair) -> tuple[int, int, int]:
    """Variables that begin as machine words and become wide, and branches on what is wide."""
    found = 0
    rest = pair.left & ALL
    steps = 0
    while rest and steps < 5:
        low = rest & -rest
        rest ^= low
        found |= low
        steps += 1
    if found & 1:
        found ^= pair.right
    return found, rest, steps


def tables(pair: Pair) -> tuple[int, int, int, int]:
    total = 0
    for at in range(len(TABLE)):
        total ^= TABLE[at]
    return total, TABLE[-1], TABLE[pair.word % len(TABLE)], TABLE[LAST]


def smeared(pair: Pair) -> tuple[int, int]:
    """Set all lower bits. The rules of GIPF use a loop; compiled code needs none."""
    return smear_down(pair.left & ALL), smear_down(pair.right & ALL)


def through_arena(pair: Pair, arena: Any, at: int) -> tuple[int, int]:
    put_fields(arena, at, pair.left)
    put_fields(arena, at + (len(arena) - at) // 2, pair.right)
    return get_fields(arena, at), get_fields(arena, at + (len(arena) - at) // 2)


def numbers(width: int) -> st.SearchStrategy[int]:
    """Return the edges of a width, and any other numbers."""
    edges = [0, 1, -1, 2, -2, (1 << (width - 1)) - 1, -(1 << (width - 1)), 1 << (width - 2)]
    for at in range(64, width, 64):
        edges += (1 << (at - 1), (1 << at) - 1, 1 << at, -(1 << at), (1 << at) + 1)
    return st.one_of(st.sampled_from(edges), st.integers(-(1 << (width - 1)), (1 << (width - 1)) - 1))


def pairs(width: int) -> st.SearchStrategy[Pair]:
    """Return pairs of numbers, many of them equal, with shifts of 0 to the width less 1."""
    number, distances = numbers(width), [0, 1, 31, 32, 63, 64, 65, 127, width - 2, width - 1]
    equal = number.map(lambda left: (left, left))
    distance = st.one_of(st.sampled_from(distances), st.integers(0, width - 1))
    return st.builds(
        lambda both, word: Pair(both[0], both[1], word), st.one_of(equal, st.tuples(number, number)), distance
    )


@cache
def functions_of(width: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return all functions, compiled for a width, and interpreted."""
    from engine.compiling import wide_lowering

    functions = bitwise, sums, shifts, comparisons, counts, mixed, tables, smeared, through_arena
    constants = {
        "ALL": WideInteger((1 << (width - 1)) - 1, width),
        "TABLE": WideTable(TABLE, width),
        "smear_down": wide_lowering.smear_down,
        "get_fields": wide_lowering.reader(width),
        "put_fields": wide_lowering.writer(width),
    }
    fast = specialise(functions, f"wide_{width}", constants, compile=True)
    slow = specialise(functions[:-1], f"plain_{width}", {"ALL": (1 << (width - 1)) - 1, "BITS": width}, compile=False)
    return fast, slow


def signed(result: Any, width: int) -> Any:
    """Return numbers as they are where all but so many bits are lost; truth values as they are."""
    if isinstance(result, tuple):
        return tuple(signed(part, width) for part in result)
    return result if isinstance(result, bool) else (result + (1 << width - 1)) % (1 << width) - (1 << width - 1)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@given(data=st.data())
def test_every_operation_is_that_of_pythons_integers(width: int, data: st.DataObject) -> None:
    """Also where bits are lost at the top: then the others are those of Python's result."""
    import numpy

    fast, slow = functions_of(width)
    for pair in data.draw(st.lists(pairs(width), min_size=8, max_size=8)):
        wide = Pair(WideInteger(pair.left, width), WideInteger(pair.right, width), pair.word)
        for function, quick in zip(slow, fast[:-1], strict=True):
            expected = signed(function(pair), width)
            assert quick(wide) == expected, (function.__name__, pair)
        arena = numpy.full(1 + 2 * width // 64, 99, dtype=numpy.int64)
        assert fast[-1](wide, arena, 1) == pair[:2]
        assert arena[0] == 99
        assert arena[1:].tobytes() == b"".join(part.to_bytes(width // 8, "little", signed=True) for part in pair[:2])


def test_the_width_leaves_room_for_a_sign() -> None:
    assert [width_for(bits) for bits in (1, 63, 64, 81, 127, 128, 361, 529)] == [64, 64, 128, 128, 128, 192, 384, 576]


def test_a_copy_of_a_number_keeps_its_width() -> None:
    copy = pickle.loads(pickle.dumps(WideInteger(-5, 192)))
    assert (copy, copy.width) == (-5, 192)


@pytest.mark.parametrize("number", [1 << 127, -(1 << 127) - 1])
def test_a_number_that_does_not_fit_its_width_is_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        WideInteger(number, 128)
    with pytest.raises(OverflowError):
        WideTable([0, number], 128)
