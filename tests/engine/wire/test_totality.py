"""Whatever bytes come, in whatever state: a message that is possible now, or `ProtocolError`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire.codes import Code, ProtocolError
from engine.wire.coding import encode
from engine.wire.ends import ClientEnd, ServerEnd
from engine.wire.messages import KINDS, REPLIES
from engine.wire.pipes import PipeEnd
from engine.wire.states import ALLOWED, State, after
from tests.engine.wire.samples import few, near_lines, replies, requests, wild_bytes


def check(error: ProtocolError) -> None:
    """An error can be sent: it has a code, and one line that says what is wrong."""
    assert error.code in Code
    assert str(error).isprintable()


@pytest.mark.parametrize("kind", [ServerEnd, PipeEnd])
@pytest.mark.parametrize("state", State)
@few
@given(data=st.one_of(wild_bytes, st.binary(), requests.map(encode), near_lines))
def test_a_server_stands_anything(kind: type[ServerEnd], state: State, data: bytes) -> None:
    end = kind()
    end.state = state
    for line in end.receive(data + b"\n"):
        before = end.state
        try:
            message = end.accept(line)
        except ProtocolError as error:
            check(error)
            assert end.state == before
        else:
            assert type(message) in ALLOWED[before] or (message is None and kind is PipeEnd)
            assert end.state == after(before, type(message))


@pytest.mark.parametrize("state", State)
@few
@given(data=st.one_of(wild_bytes, st.binary(), replies.map(encode), near_lines))
def test_a_client_stands_anything(state: State, data: bytes) -> None:
    end = ClientEnd()
    end.state = state
    try:
        messages = end.receive(data + b"\n")
    except ProtocolError as error:
        check(error)
    else:
        expected = state
        for message in messages:
            assert KINDS[type(message)] in REPLIES
            expected = after(expected, type(message))
        assert end.state == expected
