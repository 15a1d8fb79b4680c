"""Messages and bytes for hypothesis: well formed ones of every kind, and lines that almost are."""

from typing import Any, get_type_hints

from hypothesis import strategies as st

from engine.wire.coding import MAX_DIGITS, encode
from engine.wire.messages import KINDS, REPLIES, REQUESTS, Block, Message, Text

printable = st.characters(categories=("L", "M", "N", "P", "S"))
words = st.one_of(
    st.sampled_from(["alice", "white", "a5-b5", "gipf", "-", "4,4,15,15", "|", "0", "depth=7", "text=why"]),
    st.text(printable, min_size=1, max_size=8),
)
numbers = st.integers(0, 10**MAX_DIGITS - 1)
texts = st.lists(words, max_size=5).map(" ".join)
contents = st.tuples(st.sampled_from(["", " ", "   ", "| "]), texts).map(lambda parts: "".join(parts).rstrip(" "))
blocks = st.lists(contents, max_size=4).map(tuple)


def messages(cls: Any) -> st.SearchStrategy[Message]:
    """Return messages of a kind, with optional fields and without; a text that is not optional is not empty."""
    hints = get_type_hints(cls)
    fields: list[st.SearchStrategy[Any]] = []
    for name in cls._fields:
        optional = name in cls._field_defaults
        if hints[name] is Text:
            fields.append(texts if optional else texts.filter(bool))
        elif hints[name] is Block:
            fields.append(blocks)
        elif hints[name] is int:
            fields.append(numbers)
        else:
            fields.append(st.one_of(st.just(""), words) if optional else words)
    return st.tuples(*fields).map(lambda values: cls(*values))


requests = st.one_of([messages(cls) for cls in REQUESTS.values()])
replies = st.one_of([messages(cls) for cls in REPLIES.values()])

near_lines = st.tuples(
    st.sampled_from([*KINDS.values(), *map(str.lower, KINDS.values()), "", "|", "MOVEX", "ſEEK"]),
    st.lists(
        st.one_of(words, st.sampled_from(["", "-1", "1" * (MAX_DIGITS + 1), "²", "x" * 1024, "\t", "\0", "3"])),
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\r\r\n", "\n\n", "", " \n"]),
).map(lambda parts: (" ".join([parts[0], *parts[1]]) + parts[2]).encode())

wild_bytes = st.lists(
    st.one_of(st.binary(max_size=64), near_lines, requests.map(encode), replies.map(encode)), max_size=8
).map(b"".join)
"""Bytes that mostly break the protocol, with pieces that follow it."""
