import tracemalloc
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import LineReader
from tests.engine.wire.samples import more

MOST = 16
"""Longest line in these tests, in bytes."""

Seen = str | tuple[Code, str]


def fed(pieces: Iterable[bytes], most: int = MOST) -> list[Seen]:
    """Return what a reader makes of bytes that come in these pieces."""
    reader = LineReader(most)
    lines = [line for piece in pieces for line in reader.feed(piece)]
    return [(line.code, str(line)) if isinstance(line, ProtocolError) else line for line in lines]


def codes(seen: list[Seen]) -> list[str]:
    """Return lines as they are, and errors as their codes."""
    return [line if isinstance(line, str) else line[0] for line in seen]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"PING", []),
        (b"PING\n", ["PING"]),
        (b"PING\nHE", ["PING"]),
        (b"PING\r\nHELP\n", ["PING", "HELP"]),
        (b"\n\r\n", ["", ""]),
        (b"a\tb \n", ["a b "]),
        ("zażółć ♟\n".encode(), ["zażółć ♟"]),
        (b"a\rb\n", [Code.BAD_LINE]),
        (b"a\r\r\n", [Code.BAD_LINE]),
        (b"a\0b\nPING\n", [Code.BAD_LINE, "PING"]),
        (b"\x1b[2J\n", [Code.BAD_LINE]),
        (b"\xff\nPING\n", [Code.BAD_LINE, "PING"]),
        (b"\xc5\nPING\n", [Code.BAD_LINE, "PING"]),
        ("\u2028\n\u00a0\n\u202e\n".encode(), [Code.BAD_LINE] * 3),
        (b"\xed\xa0\x80\n", [Code.BAD_LINE]),
        (b"x" * MOST + b"\n", ["x" * MOST]),
        (b"x" * MOST + b"\r\n", ["x" * MOST]),
        (b"x" * (MOST + 1) + b"\n", [Code.LINE_TOO_LONG]),
        (b"x" * (MOST + 1) + b"\r\n", [Code.LINE_TOO_LONG]),
        (b"x" * (MOST + 1), []),  # a CR may be the last of these
        (b"x" * (MOST + 2), [Code.LINE_TOO_LONG]),
        (b"x" * 99 + b"\nPING\n", [Code.LINE_TOO_LONG, "PING"]),
        (b"x" * 99 + b"\n" + b"y" * 99 + b"\nPING\n", [Code.LINE_TOO_LONG, Code.LINE_TOO_LONG, "PING"]),
        (b"\xff" * 99 + b"\n", [Code.LINE_TOO_LONG]),
    ],
)
def test_lines_whole_and_byte_by_byte(data: bytes, lines: list[str]) -> None:
    assert codes(fed([data])) == lines
    assert fed(data[i : i + 1] for i in range(len(data))) == fed([data])
    trailing = fed([data, b"\n", b"PING\n"])
    assert trailing[: len(lines)] == fed([data])
    assert trailing[-1] == "PING"


def test_an_error_names_the_place() -> None:
    assert fed([b"ab\xffd\n"]) == [(Code.BAD_LINE, "byte 3 of the line is not UTF-8")]
    (control,), (long,) = fed(["żó\x07\n".encode()]), fed([b"x" * 99])
    assert "character 3" in control[1]
    assert str(MOST) in long[1]


noise = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\r\n", b"\r", b"\t", b"x" * MOST, b"x" * (MOST - 1), "ż♟".encode()]),
        st.binary(max_size=MOST + 4),
    ),
    max_size=12,
).map(b"".join)


@more
@given(noise, st.lists(st.integers(0, 200), max_size=10))
def test_it_does_not_matter_how_bytes_come_in_pieces(data: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert fed(pieces) == fed([data]) == fed(data[i : i + 1] for i in range(len(data)))


@more
@given(noise)
def test_each_end_of_a_line_gives_one_line_or_one_error(data: bytes) -> None:
    seen = fed([data])
    rest = data.rpartition(b"\n")[2]
    assert len(seen) == data.count(b"\n") + (len(rest) > MOST + 1)
    for line in seen:
        if isinstance(line, str):
            assert line.isprintable() and len(line.encode()) <= MOST


def test_memory_is_bounded() -> None:
    reader, piece = LineReader(1024), b"x" * 4096
    reader.feed(piece)
    tracemalloc.start()
    try:
        assert not any(reader.feed(piece) for _ in range(1000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(piece)
    assert reader.feed(b"\nPING\n") == ["PING"]
