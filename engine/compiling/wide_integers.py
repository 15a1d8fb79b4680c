"""Arithmetic on bits, and integers of several machine words.

These are sets of fields on boards of more than 63 fields, as compiled rules take them. Interpreted rules need nothing
of this, since Python's integers have any width. Compiled ones are given values of the
types here, whose width numba reads from them; `engine.compiling.wide_lowering` teaches it what such types are. Then
the same functions compile for any board. A number of a width behaves as Python's does as long as it, and all that is
computed with it, lies from -2**(width-1) to 2**(width-1) - 1; bits that are shifted out at the top are lost.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

HASH_FACTOR = 0x2545F4914F6CDD1D
HASH_MASK = (1 << 62) - 1


def mix(value: int, more: int) -> int:
    """Stir a number of 62 bits into a hash of 62 bits."""
    value = ((value ^ more) * HASH_FACTOR) & HASH_MASK
    return value ^ (value >> 31)


def run_shifts(run: int) -> tuple[int, ...]:
    """Return shifts that leave one bit of every ``run`` neighbouring ones, each as far as the ones before reach."""
    shifts = []
    length = 1
    while length < run:
        shifts.append(min(length, run - length))
        length += shifts[-1]
    return tuple(shifts)


def popcount(bits: int) -> int:
    """Count the bits that are set in a number >= 0. Compiled to one machine instruction."""
    return bits.bit_count()


WORD_BITS = 64


def width_for(bits: int) -> int:
    """Return the width of the narrowest integer of whole words that holds so many bits and a sign."""
    return (bits // WORD_BITS + 1) * WORD_BITS


class WideInteger(int):
    """An integer with the width that it has in compiled code; operations on it give plain integers."""

    width: int

    def __new__(cls, value: int, width: int) -> "WideInteger":
        """Make the number of a width, a multiple of 64; raises OverflowError where it does not fit."""
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
    """Return the number whose words these are."""
    return WideInteger(int.from_bytes(words, "little", signed=True), 8 * len(words))


class CompiledOnly(NamedTuple):
    """A function that is there for compiled rules alone: what stands in `engine.compiling.wide_lowering` for it."""

    name: str
    width: int = 0
    """The width of the integers that it works on, where that is bound."""


class WideTable(tuple[int, ...]):
    """A table of integers of one width, which compiled functions read by global name."""

    width: int

    def __new__(cls, values: Iterable[int], width: int) -> "WideTable":
        """Make a table; raises OverflowError for a value that does not fit."""
        table = super().__new__(cls, (WideInteger(value, width) for value in values))
        table.width = width
        return table
