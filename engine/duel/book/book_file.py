r"""The file of a book: what it was made with, a record for each position, and a checksum.

    arena-book\n
    {"format":1,"game":"gipf",…}\n      what it was made with, as JSON
    records of 29 bytes                 in the order of their keys
    32 bytes                            SHA-256 of all before them

A record is little-endian: the key of the position and that of the best move outside of the book, 8 bytes each; the
score of the position and that of this move, 4 bytes each; and a byte each for: the plies that this move was searched,
those of the position from the start, whether there is such a move, those of the best line within the book, and those
that were searched at its end.
"""

import hashlib
import struct
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

FORMAT = 1
"""Another number is another format, and is refused."""

MAGIC = b"arena-book\n"
DIGEST_BYTES = 32
RECORD = struct.Struct("<QQiiBBBBB")
MOST_PLIES = 255
"""What a byte holds."""


SHIPPED, OFF = "shipped", "off"
"""What stands in the place of a file's name: the book of this distribution, and none."""


class BadBook(ValueError):
    """A file that is no book, or none for these rules. ``str(error)`` says why."""


class Making(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="book"):
    """What a book was made with: all that its searches depend on."""

    format: int
    game: str
    parameters: str
    evaluation: str
    """The label of the rules, which tells evaluations apart."""
    seed: int
    nodes: int
    """Of each search."""


MAKING = msgspec.json.Decoder(Making)
"""Reads how a book is made."""


class Entry(NamedTuple):
    """What a book knows of a position."""

    outside: int
    """The key that the best move outside of the book leads to; 0 where there is none."""
    score: int
    """Of the position, for the side to move."""
    outside_score: int
    """Of the best move outside of the book, for the side that makes it; 0 where there is none."""
    outside_depth: int
    """The plies that it was searched."""
    ply: int
    """How far the position lies from the start."""
    has_outside: bool
    line: int
    """Plies of the best line that lie within the book."""
    depth: int
    """Plies that were searched at its end."""


Entries = dict[int, Entry]
"""By the key of the position."""


def write(making: Making, entries: Entries) -> bytes:
    """Return the content of a file."""
    body = MAGIC + msgspec.json.encode(making) + b"\n"
    body += b"".join(_record(key, entry) for key, entry in sorted(entries.items()))
    return body + hashlib.sha256(body).digest()


def read(content: bytes) -> tuple[Making, Entries]:
    """Return what a file holds; raises `BadBook`."""
    if not content.startswith(MAGIC):
        raise BadBook("this is no opening book")
    body, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise BadBook("this opening book is damaged: its checksum is wrong")
    head, _, records = body[len(MAGIC) :].partition(b"\n")
    try:
        making = MAKING.decode(head)
    except msgspec.DecodeError as error:
        raise BadBook(f"this opening book does not say what it was made with: {error}") from None
    if making.format != FORMAT:
        raise BadBook(f"the format of this opening book is {making.format}, but it has to be {FORMAT}")
    if len(records) % RECORD.size:
        raise BadBook("this opening book ends within a record")
    return making, dict(_entries(records))


def _record(key: int, entry: Entry) -> bytes:
    outside, score, outside_score, outside_depth, ply, has_outside, line, depth = entry
    return RECORD.pack(key, outside, score, outside_score, outside_depth, ply, has_outside, line, depth)


def _entries(records: bytes) -> Iterable[tuple[int, Entry]]:
    for key, *values in RECORD.iter_unpack(records):
        yield key, Entry(*values)
