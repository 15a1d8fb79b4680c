"""Sets of fields, given as the bits of a number, as arrays of zeros and ones."""

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Planes: TypeAlias = NDArray[numpy.float32]
"""A stack of planes: numbers from 0 to 1 by plane, row and column."""


def bits(fields: int, count: int) -> NDArray[numpy.uint8]:
    """Return the lowest bits of a number as an array, the lowest one first."""
    length = (count + 7) // 8
    packed = numpy.frombuffer((fields & ((1 << 8 * length) - 1)).to_bytes(length, "little"), numpy.uint8)
    return numpy.unpackbits(packed, count=count, bitorder="little")
