"""The lines of programs on stdin and stdout, whoever has started them."""

import pytest

from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.pipes import PipeEnd
from engine.wire.states import State


@pytest.fixture
def end() -> PipeEnd:
    """A program that is logged in and waits for a match, without having said a word."""
    end = PipeEnd()
    for message in (m.Arena(1, "arena", "open"), m.Welcome("ann"), m.Seeking("any")):
        end.send(message)
    assert end.state is State.SEEKING
    return end


def in_match(end: PipeEnd) -> None:
    end.send(m.Match(1, "gipf", "4,4,15,15", "white", "bob", 1000, 0, 1000, "secret"))


@pytest.mark.parametrize("line", ["LOGIN", "login bob 5ec7e7", "SEEK", " SEEK morris opponent=bob"])
def test_log_in_and_seek_were_answered_before(end: PipeEnd, line: str) -> None:
    assert end.accept(line) is None
    in_match(end)
    assert end.accept(line) is None


@pytest.mark.parametrize("line", ["MOVE a1-b2", "LOGINS", "MOVE LOGIN", ProtocolError(Code.BAD_LINE, "x")])
def test_nothing_else_was(end: PipeEnd, line: str | ProtocolError) -> None:
    with pytest.raises(ProtocolError):
        end.accept(line)


def test_a_match_is_played_as_over_a_network(end: PipeEnd) -> None:
    in_match(end)
    assert end.accept("READY") == m.Ready()
    end.send(m.Start(1000, 1000))
    end.send(m.Turn(1000, 1000))
    assert end.accept("moves") == m.AskMoves()
    assert end.accept("MOVE a1-b2") == m.Move(m.Text("a1-b2"))
    with pytest.raises(ProtocolError, match="own turn"):
        end.accept("MOVE a1-b2")


@pytest.mark.parametrize("line", ["LIST", "watch 1", "RECORD 1", "RESUME 1 secret", "CANCEL", "ORGANISE x", "ANNUL 1"])
def test_what_is_not_for_a_match_is_refused(end: PipeEnd, line: str) -> None:
    for _ in range(2):
        with pytest.raises(ProtocolError, match="is not for a program that plays on stdin and stdout") as caught:
            end.accept(line)
        assert caught.value.code == Code.WRONG_STATE
        if end.state is State.SEEKING:
            in_match(end)
