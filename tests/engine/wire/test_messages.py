import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import LineReader, decode, encode, usage
from engine.wire.ends import MAX_BLOCK_LINES, ClientEnd, ServerEnd
from engine.wire.messages import KINDS, REPLIES, REQUESTS, Message
from tests.engine.wire.samples import few, messages

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


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=REQUESTS)
@few
@given(data=st.data())
def test_requests_come_back_as_they_were(cls: type, data: st.DataObject) -> None:
    message = data.draw(messages(cls))
    (line,) = lines_of(message)
    assert decode(line, REQUESTS) == (message, 0)
    kind, blank, rest = line.partition(" ")
    assert decode(f"  {kind.lower()}{blank}  {rest} ", REQUESTS) == (message, 0)


@pytest.mark.parametrize("cls", REPLIES.values(), ids=REPLIES)
@few
@given(data=st.data())
def test_replies_come_back_as_they_were(cls: type, data: st.DataObject) -> None:
    message = data.draw(messages(cls))
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


def test_clients_leave_out_what_they_do_not_know() -> None:
    data = b"WEATHER 2\n| rain\n|\n\nLOGIN alice\npong\nPONG x\n"
    assert ClientEnd().receive(data) == [m.Pong(m.Text("x"))]


def test_servers_leave_out_blank_lines() -> None:
    assert ServerEnd().receive(b"\n \r\n\t\nPING\n") == ["PING"]
