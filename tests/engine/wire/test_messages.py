"""Lines, messages and notes come back as they were; an error names the wrong word of a line."""

import re
import tracemalloc
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from engine.wire import messages as m
from engine.wire.coding import REPLY_BYTES, LineReader, decode, encode, usage
from engine.wire.ends import MAX_BLOCK_BYTES, MAX_BLOCK_LINES, ClientEnd, ServerEnd
from engine.wire.fields import Note, read_note, write_note
from engine.wire.messages import KINDS, REQUESTS, Code, Message, ProtocolError
from engine.wire.words import number_of
from tests.engine.wire.samples import numbers, replies, requests, texts, words

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
    assert fed([b"ab\xffd\n", "żó\x07\n".encode(), b"x" * 99]) == snapshot(
        [
            (Code.BAD_LINE, "byte 3 of the line is not UTF-8"),
            (Code.BAD_LINE, "character 3 of the line, U+0007, cannot be printed"),
            (Code.LINE_TOO_LONG, "a line has at most 16 bytes before its LF; this one was left out"),
        ]
    )


noise = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\r\n", b"\r", b"\t", b"x" * MOST, b"x" * (MOST - 1), "ż♟".encode()]),
        st.binary(max_size=MOST + 4),
    ),
    max_size=12,
).map(b"".join)


@given(noise, st.lists(st.integers(0, 200), max_size=10))
def test_it_does_not_matter_how_bytes_come_in_pieces(data: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert fed(pieces) == fed([data]) == fed(data[i : i + 1] for i in range(len(data)))


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


ROOMY = 1_000_000
"""A bound that no line here reaches."""


def lines_of(message: Message) -> list[str]:
    """Return the lines of a message: of its kind or of a block, none of them empty, and without spaces at the end."""
    lines = LineReader(ROOMY).feed(encode(message))
    assert all(isinstance(line, str) for line in lines)
    kind = KINDS[type(message)]
    for line in lines:
        assert str(line) == str(line).rstrip(" ") != ""
        assert line == "|" or str(line).startswith("| ") or re.match(rf"{kind}( |$)", str(line))
    return [str(line) for line in lines]


@given(st.lists(requests, min_size=8, max_size=8))
def test_requests_come_back_as_they_were(some: list[Message]) -> None:
    for message in some:
        (line,) = lines_of(message)
        assert decode(line, REQUESTS) == (message, 0)
        kind, blank, rest = line.partition(" ")
        assert decode(f"  {kind.lower()}{blank}  {rest} ", REQUESTS) == (message, 0)


@given(st.lists(replies, min_size=8, max_size=8))
def test_replies_come_back_as_they_were(some: list[Message]) -> None:
    for message in some:
        assert lines_of(message)
        assert ClientEnd().receive(encode(message)) == [message]
        single = ClientEnd()
        assert [got for byte in encode(message) for got in single.receive(bytes([byte]))] == [message]


def test_every_message_says_how_it_is_written() -> None:
    for cls, kind in KINDS.items():
        assert usage(cls).split()[0] == kind
    for request in REQUESTS.values():
        assert usage(request).count("[") == len(request._field_defaults)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("login alice", m.Login("alice")),
        ("LOGIN  alice   secret ", m.Login("alice", "secret")),
        ("MOVE a5-b5  b: e5 h2", m.Move(m.Text("a5-b5  b: e5 h2"))),
        ("WATCH 007", m.Watch(7)),
        ("PING", m.Ping()),
        ("RESUME 999999999999 x", m.Resume(999_999_999_999, "x")),
    ],
)
def test_requests_are_read(line: str, message: Message) -> None:
    assert decode(line, REQUESTS) == (message, 0)


@pytest.mark.parametrize(
    ("line", "code", "part"),
    [
        ("", Code.UNKNOWN_COMMAND, "''"),
        ("JUMP", Code.UNKNOWN_COMMAND, "'JUMP'"),
        ("WELCOME alice", Code.UNKNOWN_COMMAND, "'WELCOME'"),
        ("LOGIN", Code.BAD_ARGUMENTS, "lacks name"),
        ("MOVE", Code.BAD_ARGUMENTS, "lacks move"),
        ("READY now", Code.BAD_ARGUMENTS, "'now'"),
        ("LOGIN a b c", Code.BAD_ARGUMENTS, "'c'"),
        ("WATCH one", Code.BAD_ARGUMENTS, "'one'"),
        ("WATCH -1", Code.BAD_ARGUMENTS, "'-1'"),
        ("WATCH 1.5", Code.BAD_ARGUMENTS, "'1.5'"),
        ("WATCH ²", Code.BAD_ARGUMENTS, "'²'"),
        ("WATCH ٣", Code.BAD_ARGUMENTS, "whole number"),
        ("WATCH 1000000000000", Code.BAD_ARGUMENTS, "whole number"),
    ],
)
def test_what_is_wrong_with_a_request(line: str, code: Code, part: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(line, REQUESTS)
    assert caught.value.code == code
    assert part in str(caught.value)


def test_blocks() -> None:
    board = m.Board(m.Block(("4 4 15 15", "   W _ _ B", "", "| x")))
    assert encode(board) == b"BOARD 4\n| 4 4 15 15\n|    W _ _ B\n|\n| | x\n"
    assert ClientEnd().receive(encode(board)) == [board]
    assert ClientEnd().receive(b"MATCHES 0\nPONG\n") == [m.Matches(m.Block(())), m.Pong()]


def test_a_block_is_one_message_and_comes_when_it_is_whole() -> None:
    end = ClientEnd()
    assert end.receive(b"RECORD 17 2\n| a\n") == []
    assert end.receive(b"| b") == []
    assert end.receive(b"\nPONG\n") == [m.Record(17, m.Block(("a", "b"))), m.Pong()]


@pytest.mark.parametrize("data", [b"BOARD 2\n| a\nPONG\n", b"BOARD 1\n\n", b"BOARD 1\n|a\n"])
def test_a_block_that_is_cut_short(data: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        ClientEnd().receive(data)
    assert caught.value.code == Code.BAD_LINE


def test_a_block_that_is_too_long() -> None:
    with pytest.raises(ProtocolError) as caught:
        ClientEnd().receive(f"BOARD {MAX_BLOCK_LINES + 1}\n".encode())
    assert caught.value.code == Code.TOO_MANY


def test_a_block_has_a_bounded_size() -> None:
    end, line = ClientEnd(), b"| " + b"x" * (REPLY_BYTES - 10) + b"\n"
    end.receive(b"RECORD 1 100000\n")
    for _ in range(MAX_BLOCK_BYTES // len(line)):
        assert end.receive(line) == []
    with pytest.raises(ProtocolError, match=f"at most {MAX_BLOCK_BYTES} bytes"):
        end.receive(2 * line)


def test_clients_leave_out_what_they_do_not_know() -> None:
    data = b"WEATHER 2\n| rain\n|\n\nLOGIN alice\npong\nPONG x\n"
    assert ClientEnd().receive(data) == [m.Pong(m.Text("x"))]


def test_servers_leave_out_blank_lines() -> None:
    assert ServerEnd().receive(b"\n \r\n\t\nPING\n") == ["PING"]


noted_moves = st.one_of(
    st.sampled_from(["a5-b5 b: e5 h2", "0 7 22", "d4"]),
    words.filter(lambda word: not {"_", ","} & set(word)),
)
notes = st.builds(
    Note,
    st.none() | numbers,
    st.none() | st.integers(-(10**12) + 1, 10**12 - 1).map(lambda thousandths: thousandths / 1000),
    st.none() | numbers,
    st.none() | numbers,
    st.lists(noted_moves, max_size=4).map(tuple),
    texts,
)


@pytest.mark.slow("interpreted")
@given(notes)
def test_notes_come_back_as_they_were(note: Note) -> None:
    written = write_note(note)
    if note[1:] == Note()[1:]:
        with pytest.raises(ProtocolError, match="a note says something"):
            read_note(written)
        return
    assert read_note(written) == note
    assert written.isprintable() and written == written.strip()


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("score=35", Note(score=35.0)),
        ("text=a  b=c", Note(text="a  b=c")),
        ("in the book, depth=3", Note(text="in the book, depth=3")),
        ("nodes=007  depth=1 why not", Note(depth=1, nodes=7, text="why not")),
        ("ply=3 score=-0.000 pv=a3-b3_w:_b3_c3,c5-c4", Note(ply=3, score=0.0, pv=("a3-b3 w: b3 c3", "c5-c4"))),
        ("score=1.250 text=", Note(score=1.25)),
    ],
)
def test_notes_are_read(content: str, note: Note) -> None:
    assert read_note(content) == note


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("dept=7", "'dept=7' is no field of NOTE; these are ply=…, score=…, depth=…, nodes=…, pv=…, text=…"),
        ("depth=-1", "depth is a whole number of 1 to 12 digits, not '-1'"),
        ("nodes=²", "nodes is a whole number of 1 to 12 digits, not '²'"),
        ("score=nan", "score is a number as in 35, -35 or 0.125, not 'nan'"),
        ("score=1e5", "not '1e5'"),
        ("pv=a1,,b2", "pv is moves with commas between them, as in a3-b3,c5-c4, not 'a1,,b2'"),
        ("pv=_", "not '_'"),
        ("depth=1 depth=2", "depth is given twice"),
        ("ply=3", "a note says something"),
        ("text=", "a note says something"),
    ],
)
def test_what_is_wrong_with_a_note(content: str, part: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_note(content)
    assert caught.value.code == Code.BAD_ARGUMENTS
    assert part in str(caught.value)


def test_a_note_for_people() -> None:
    note = Note(3, -0.5, 7, 1_234_567, ("a3-b3 w: b3 c3", "c5-c4"), "in the book")
    assert str(note) == snapshot("score -0.01; depth 7; 1,234,567 nodes; pv a3-b3 w: b3 c3, c5-c4: in the book")
    assert str(Note(nodes=1)) == "1 node"
    assert str(Note(text="why")) == "why"


def test_a_number_has_its_noun_in_the_plural_if_necessary() -> None:
    assert [number_of(count, "ply", "plies") for count in (0, 1.0, 1.5)] == ["0 plies", "1 ply", "1.5 plies"]
    assert number_of(2, "game") == "2 games"
