"""Sets of fields as integers, one bit a field, and how rules keep them in arenas.

Interpreted, a set is one number of any width. Compiled, it is a machine word, or an integer of several words
(`engine.compiling.wide_integers`) where the board is larger than that: then `FieldSets` gives rules their constants.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from engine.compiling.binding import Numbers, table
from engine.compiling.wide_integers import WORD_BITS, CompiledOnly, WideInteger, WideTable


def get_fields(arena: Numbers, at: int) -> int:
    """Return the set of fields that stands in an arena from a number on: one number, or several words."""
    return arena[at]


def put_fields(arena: Numbers, at: int, fields: int) -> None:
    """Write a set of fields into an arena, from a number on."""
    arena[at] = fields


class FieldSets(NamedTuple):
    """How the rules of one board have their sets of fields."""

    compiled: bool
    width: int
    """Bits of a compiled set: a multiple of 64."""

    @property
    def is_wide(self) -> bool:
        """Tell whether a set takes several machine words."""
        return self.compiled and self.width > WORD_BITS

    def number(self, fields: int) -> int:
        """Return a set of fields as the rules take it."""
        return WideInteger(fields, self.width) if self.is_wide else fields

    def table(self, sets: Iterable[int]) -> Sequence[int]:
        """Return a table of sets of fields, for functions that read it by global name."""
        return WideTable(sets, self.width) if self.is_wide else table(sets, compile=self.compiled)

    def constants(self) -> dict[str, Any]:
        """Return how many numbers of an arena a set takes and, where that is several, what reads and writes them."""
        if not self.is_wide:
            return {"SET_WORDS": 1}
        return {
            "SET_WORDS": self.width // WORD_BITS,
            "get_fields": CompiledOnly("reader", self.width),
            "put_fields": CompiledOnly("writer", self.width),
        }
