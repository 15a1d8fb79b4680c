"""Positions of GIPF that mirror each other, and the one that stands for them all.

The hexagon has twelve symmetries: turned by sixths, and each turn seen in a mirror. Two reflections, made in turn, lead
through all of them: rows exchanged with columns, and each row read backwards. For both of them a set of fields is
taken apart into chunks of CHUNK_BITS bits, and each is looked up.

Bound and compiled together with `engine.games.gipf.rules`.
"""

from collections.abc import Sequence

from engine.compiling.binding import UNBOUND
from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.rules import State

CHUNK_BITS = 8
SYMMETRIES = 12

# What `engine.games.gipf.kernel.bind` puts in the place of these.
CHUNKS: int = UNBOUND  # of a set of fields
EXCHANGED: Sequence[int] = UNBOUND  # the fields that those of each chunk come to when rows are exchanged with columns,
REVERSED: Sequence[int] = UNBOUND  # and when rows are reversed: 2**CHUNK_BITS numbers a chunk


def exchanged(fields: int) -> int:
    """Return the fields with rows exchanged for columns."""
    image = 0
    for chunk in range(CHUNKS):
        image |= EXCHANGED[(chunk << CHUNK_BITS) + ((fields >> (chunk * CHUNK_BITS)) & ((1 << CHUNK_BITS) - 1))]
    return image


def reversed_rows(fields: int) -> int:
    """Return the fields with each row read backwards."""
    image = 0
    for chunk in range(CHUNKS):
        image |= REVERSED[(chunk << CHUNK_BITS) + ((fields >> (chunk * CHUNK_BITS)) & ((1 << CHUNK_BITS) - 1))]
    return image


def canonical(state: State) -> State:
    """Return the position that stands for all that mirror this one: the one with the least sets of fields."""
    white, black = state.white, state.black
    least_white, least_black = white, black
    for turn in range(SYMMETRIES - 1):
        if turn & 1 == 0:
            white, black = exchanged(white), exchanged(black)
        else:
            white, black = reversed_rows(white), reversed_rows(black)
        if white < least_white or (white == least_white and black < least_black):
            least_white, least_black = white, black
    return State(least_white, least_black, state.white_reserve, state.black_reserve, state.side)


def tables(size: int) -> tuple[int, list[int], list[int]]:
    """Return the number of chunks of a set of fields, and both tables, for boards of a side."""
    width = geometry(size).width
    places = {row * width + column: (row, column) for row in range(width) for column in range(width)}
    fields = {bit: place for bit, place in places.items() if is_field(size, *place)}
    last = width - 1
    turned = {bit: column * width + row for bit, (row, column) in fields.items()}
    # the columns of a row begin at max(0, row - size + 1) and end at min(last, size - 1 + row)
    mirrored = {
        bit: row * width + max(0, row - size + 1) + min(last, size - 1 + row) - column
        for bit, (row, column) in fields.items()
    }
    chunks = -(-(width * width) // CHUNK_BITS)

    def table(images: dict[int, int]) -> list[int]:
        return [
            sum(
                1 << images[chunk * CHUNK_BITS + bit]
                for bit in range(CHUNK_BITS)
                if number >> bit & 1 and chunk * CHUNK_BITS + bit in images
            )
            for chunk in range(chunks)
            for number in range(1 << CHUNK_BITS)
        ]

    return chunks, table(turned), table(mirrored)
