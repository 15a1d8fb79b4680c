"""Arithmetic on bits, and integers of several machine words for compiled rules.

A set of fields on a board of more than 63 fields needs several words. Interpreted rules use Python's integers of any
width. Compiled rules get values of the types here, and `engine.compiling.wide_lowering` defines these types for numba.
So the same functions compile for any board.

A number of a width behaves like Python's integers from -2**(width-1) to 2**(width-1) - 1. Bits that are shifted out at
the top are lost.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

HASH_FACTOR = 0x2545F4914F6CDD1D
HASH_MASK = (1 << 62) - 1


def mix(value: int, more: int) -> int:
    """Mix a number of 62 bits into a hash of 62 bits."""
    value = ((value ^ more) * HASH_FACTOR) & HASH_MASK
    return value ^ (value >> 31)


def run_shifts(run: int) -> tuple[int, ...]:
    """Return shifts that reduce ``run`` neighbouring bits to one bit. Each shift at most doubles the length."""
    shifts = []
    length = 1
    while length < run:
        shifts.append(min(length, run - length))
        length += shifts[-1]
    return tuple(shifts)


def popcount(bits: int) -> int:
    """Count the set bits of a number >= 0. It compiles to one machine instruction."""
    return bits.bit_count()


WORD_BITS = 64


def width_for(bits: int) -> int:
    """Return the least width, a multiple of WORD_BITS, for a number of bits and a sign."""
    return (bits // WORD_BITS + 1) * WORD_BITS


class WideInteger(int):
    """An integer with its width in compiled code. Operations on it return plain integers."""

    width: int

    def __new__(cls, value: int, width: int) -> "WideInteger":
        """Make a number of a width, a multiple of 64; raises OverflowError if it does not fit."""
        number = super().__new__(cls, value)
        number.width = width
        number.packed()
        return number

    def __repr__(self) -> str:
        return f"WideInteger({int(self)}, {self.width})"

    def __reduce__(self) -> tuple[Any, ...]:
        return WideInteger, (int(self), self.width)

    def packed(self) -> bytes:
        """Return the words of the number, the lowest first, in two's complement."""
        return self.to_bytes(self.width // 8, "little", signed=True)


def unpacked(words: bytes) -> WideInteger:
    """Return the number with these words."""
    return WideInteger(int.from_bytes(words, "little", signed=True), 8 * len(words))


class CompiledOnly(NamedTuple):
    """A function for compiled rules, by its name in `engine.compiling.wide_lowering`."""

    name: str
    width: int = 0
    """The width of its integers; 0 if the function works on any width."""


class WideTable(tuple[int, ...]):
    """A table of integers of one width, which compiled functions read by global name."""

    width: int

    def __new__(cls, values: Iterable[int], width: int) -> "WideTable":
        """Make a table; raises OverflowError for a value that does not fit."""
        table = super().__new__(cls, (WideInteger(value, width) for value in values))
        table.width = width
        return table
