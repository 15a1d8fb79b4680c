"""The table of states, both ends walking through it, programs on pipes, and any bytes in any state."""

from collections import deque
from random import Random

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot

from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.ends import AFTER, ALLOWED, IN_MATCH, NEXT, ClientEnd, PipeEnd, ServerEnd, SessionState
from engine.wire.messages import KINDS, REPLIES, REQUESTS, Code, Message, ProtocolError
from tests.engine.wire.samples import near_lines, replies, requests, wild_bytes


def after(state: SessionState, kind: type) -> SessionState:
    """Return the state after a message of some kind was said or accepted."""
    return AFTER[state].get(kind, state)


EXAMPLES: dict[type, Message] = {
    m.Login: m.Login("alice", "secret"),
    m.Resume: m.Resume(17, "secret"),
    m.Seek: m.Seek("gipf", m.Text("params=4,4,15,15")),
    m.Move: m.Move(m.Text("a5-b5 b: e5 h2")),
    m.Note: m.Note(m.Text("depth=7 text=in the book")),
    m.Watch: m.Watch(17),
    m.AskRecord: m.AskRecord(17),
    m.AskLog: m.AskLog(17, "0123456789abcdef0123456789abcdef"),
    m.Stderr: m.Stderr(m.Text("|   raise ValueError")),
    m.Organise: m.Organise("secret"),
    m.Annul: m.Annul(17, m.Text("the wrong variant")),
    m.Dismiss: m.Dismiss("alice", m.Text("not so fast")),
    m.Annulled: m.Annulled(17),
    m.Dismissed: m.Dismissed("alice"),
    m.Announcement: m.Announcement(m.Text("the final begins at 18:00")),
    m.Arena: m.Arena(1, "gipf-arena/0.1.0", "open"),
    m.Welcome: m.Welcome("alice"),
    m.Seeking: m.Seeking("gipf"),
    m.Awaited: m.Awaited("bob", "absent"),
    m.Match: m.Match(17, "gipf", "4,4,15,15", "white", "bob", 60000, 0, 1000, "secret"),
    m.Watching: m.Watching(17, "gipf", "4,4,15,15", "alice", "bob", 60000, 0, 1000),
    m.Board: m.Board(m.Block(("4 4 15 15", "", "  W"))),
    m.Start: m.Start(60000, 59000),
    m.Turn: m.Turn(60000, 59000),
    m.Moved: m.Moved(1, "white", 60000, 59000, m.Text("a5-b5")),
    m.Noted: m.Noted(1, "white", m.Text("depth=7 text=in the book")),
    m.Result: m.Result(17, "white", "resign", 60000, 59000, m.Text("bob resigned")),
    m.Opponent: m.Opponent("gone"),
    m.Moves: m.Moves(m.Block(("a5-b5", "a4-b4"))),
    m.Matches: m.Matches(m.Block(())),
    m.Record: m.Record(17, m.Block(("arena-record 1",))),
    m.Log: m.Log(17, m.Block(("white 9 | ValueError",))),
    m.Help: m.Help(m.Block(("QUIT",))),
    m.Error: m.Error("wrong_state", m.Text("not now")),
    m.Notice: m.Notice("too_many", m.Text("not so much")),
    m.Bye: m.Bye("quit", m.Text("goodbye")),
}


def example(cls: type) -> Message:
    return EXAMPLES[cls] if cls in EXAMPLES else cls()


def test_the_tables_are_consistent() -> None:
    assert set(ALLOWED) == set(SessionState)
    assert set().union(*ALLOWED.values()) == set(REQUESTS.values())
    assert not ALLOWED[SessionState.CLOSED]
    for (state, kind), following in NEXT.items():
        assert kind in KINDS
        assert isinstance(following, SessionState)
        if KINDS[kind] in REQUESTS and REQUESTS[KINDS[kind]] is kind:
            assert kind in ALLOWED[state], "a request that changes a state has to be allowed in it"


def test_every_state_can_be_reached_and_left() -> None:
    def reached(start: SessionState) -> set[SessionState]:
        found, queue = {start}, deque([start])
        while queue:
            state = queue.popleft()
            for kind in KINDS:
                if after(state, kind) not in found:
                    found.add(after(state, kind))
                    queue.append(after(state, kind))
        return found

    assert reached(SessionState.GUEST) == set(SessionState)
    assert all(SessionState.CLOSED in reached(state) for state in SessionState)
    assert all(
        SessionState.LOBBY in reached(state)
        for state in SessionState
        if state not in (SessionState.ORGANISING, SessionState.CLOSED)
    )
    assert reached(SessionState.ORGANISING) == {SessionState.ORGANISING, SessionState.CLOSED}, (
        "an organiser does not become a player"
    )
    assert reached(SessionState.CLOSED) == {SessionState.CLOSED}


def test_a_result_leads_out_of_every_match_and_an_error_nowhere() -> None:
    assert {state for state in SessionState if after(state, m.Result) is not state} == {
        *IN_MATCH,
        SessionState.WATCHING,
        SessionState.GUEST_WATCHING,
    }
    assert all(after(state, m.Error) is state for state in SessionState)


@pytest.mark.parametrize("state", SessionState)
def test_every_request_in_a_state(state: SessionState) -> None:
    for kind, request in REQUESTS.items():
        end = ServerEnd()
        end.state = state
        (line,) = end.receive(ClientEnd().send(example(request)))
        if request in ALLOWED[state]:
            assert end.accept(line) == example(request), kind
            continue
        with pytest.raises(ProtocolError) as caught:
            end.accept(line)
        on_turn_only = kind in ("MOVE", "MOVES")
        assert caught.value.code == (Code.NOT_YOUR_TURN if on_turn_only else Code.WRONG_STATE), kind
        assert end.state is state, kind


ANSWERS: dict[type, list[tuple[type, ...]]] = {
    m.Login: [(m.Welcome,), (m.Error,)],
    m.Resume: [
        (m.Error,),
        (m.Welcome, m.Match, m.Board),
        (m.Welcome, m.Match, m.Board, m.Start, m.Moved),
        (m.Welcome, m.Match, m.Board, m.Start, m.Moved, m.Turn),
        (m.Welcome, m.Match, m.Board, m.Start, m.Result),
        (m.Welcome, m.Match, m.Board, m.Result),
    ],
    m.Seek: [
        (m.Seeking,),
        (m.Seeking, m.Awaited),
        (m.Seeking, m.Match, m.Board),
        (m.Error,),
        (m.Seeking, m.Cancelled, m.Error),
    ],
    m.Cancel: [(m.Cancelled,)],
    m.Ready: [(), (m.Start,), (m.Start, m.Turn)],
    m.Move: [(m.Moved,), (m.Result,), (m.Moved, m.Result)],
    m.Note: [(), (m.Notice,)],
    m.Stderr: [()],
    m.Resign: [(m.Result,)],
    m.Crashed: [(m.Result,)],
    m.AskBoard: [(m.Board,), (m.Error,)],
    m.AskMoves: [(m.Moves,), (m.Error,)],
    m.List: [(m.Matches,)],
    m.Watch: [(m.Watching, m.Board), (m.Watching, m.Board, m.Start, m.Moved, m.Noted), (m.Error,)],
    m.Unwatch: [(m.Unwatched,)],
    m.AskRecord: [(m.Record,), (m.Error,)],
    m.AskLog: [(m.Log,), (m.Error,)],
    m.Ping: [(m.Pong,)],
    m.Echo: [()],
    m.AskHelp: [(m.Help,)],
    m.Quit: [(m.Bye,)],
    m.Organise: [(m.Organising,), (m.Error,)],
    m.Annul: [(m.Annulled,), (m.Error,)],
    m.Dismiss: [(m.Dismissed,), (m.Error,)],
}
"""Replies that a server may send to a request."""

UNASKED: dict[SessionState, list[tuple[type, ...]]] = {
    SessionState.GUEST: [],
    SessionState.GUEST_WATCHING: [(m.Start,), (m.Moved,), (m.Moved, m.Result)],
    SessionState.LOBBY: [],
    SessionState.SEEKING: [(m.Match, m.Board), (m.Cancelled,), (m.Cancelled, m.Error), (m.Awaited,)],
    SessionState.WATCHING: [(m.Start,), (m.Moved,), (m.Moved, m.Noted), (m.Noted, m.Result), (m.Result,)],
    SessionState.PREPARING: [(m.Result,), (m.Opponent,)],
    SessionState.WAITING: [
        (m.Result,),
        (m.Opponent,),
        (m.Moved, m.Result),
        (m.Start,),
        (m.Start, m.Turn),
        (m.Moved, m.Turn),
    ],
    SessionState.THINKING: [(m.Result,), (m.Opponent,)],
    SessionState.ORGANISING: [],
    SessionState.CLOSED: [],
}
"""Messages that a server may send without a request. In the lobby, MATCH follows only WELCOME, when a match is
resumed. Otherwise a late READY for the last match would count for the new match."""


class Wire:
    """Both ends of a connection, what is on its way between them, and a server that says what it may at random."""

    def __init__(self, random: Random) -> None:
        self.client, self.server = ClientEnd(), ServerEnd()
        self.refused: list[Code] = []
        self._random = random
        self._up: deque[bytes] = deque()
        self._down: deque[bytes] = deque()

    def ask(self) -> None:
        """The client says something that it may, as far as it knows; it waits for the answers to RESUME and SEEK."""
        kind = self._random.choice(sorted(ALLOWED[self.client.state] - {m.Quit}, key=str))
        self._up.append(self.client.send(example(kind)))
        if kind in (m.Resume, m.Seek):
            self.settle()

    def say_unasked(self) -> None:
        """The server says something, if there is anything that it may say."""
        if UNASKED[self.server.state]:
            self._say(self._random.choice(UNASKED[self.server.state]))

    def close(self) -> None:
        """The server says goodbye."""
        self._say((m.Bye,))

    def _say(self, kinds: tuple[type, ...]) -> None:
        for kind in kinds:
            self._down.append(self.server.send(example(kind)))

    def let_server_hear(self) -> None:
        if self._up:
            for line in self.server.receive(self._up.popleft()):
                before = self.server.state
                try:
                    message = self.server.accept(line)
                except ProtocolError as error:
                    self.refused.append(error.code)
                    self._say((m.Error,))
                else:
                    repeated = isinstance(message, m.Ready) and before is not SessionState.PREPARING  # does nothing
                    self._say(() if repeated else self._random.choice(ANSWERS[type(message)]))

    def let_client_hear(self) -> None:
        if self._down:
            self.client.receive(self._down.popleft())

    def settle(self) -> None:
        """Let everything arrive that is on its way."""
        while self._up or self._down:
            self.let_server_hear()
            self.let_client_hear()


def test_the_walks_know_all_requests_and_states() -> None:
    assert set(ANSWERS) == set(REQUESTS.values())
    assert set(UNASKED) == set(SessionState)


@given(st.randoms(use_true_random=False))
def test_both_ends_agree_after_every_exchange(random: Random) -> None:
    wire = Wire(random)
    for _ in range(40):
        random.choice([wire.ask, wire.ask, wire.say_unasked])()
        wire.settle()
        assert wire.client.state is wire.server.state
    assert not wire.refused
    wire.close()
    wire.settle()
    assert wire.client.state is wire.server.state is SessionState.CLOSED


@pytest.mark.slow("interpreted")
@given(st.randoms(use_true_random=False))
def test_both_ends_agree_again_after_messages_have_crossed(random: Random) -> None:
    """Each end goes by what it knows; requests that come too late are refused, and change nothing."""
    wire = Wire(random)
    for _ in range(100):
        random.choice([wire.ask, wire.say_unasked, wire.let_server_hear, wire.let_client_hear])()
        if random.random() < 0.05:
            wire.settle()
            assert wire.client.state is wire.server.state
    wire.settle()
    assert wire.client.state is wire.server.state
    assert set(wire.refused) <= {Code.WRONG_STATE, Code.NOT_YOUR_TURN}


def check(error: ProtocolError) -> None:
    """An error can be sent: it has a code, and one line that says what is wrong."""
    assert error.code in Code
    assert str(error).isprintable()


@pytest.mark.parametrize("kind", [ServerEnd, PipeEnd])
@given(data=st.one_of(wild_bytes, st.binary(), requests.map(encode), near_lines))
def test_a_server_stands_anything_in_every_state(kind: type[ServerEnd], data: bytes) -> None:
    for state in SessionState:
        end = kind()
        end.state = state
        for line in end.receive(data + b"\n"):
            before = end.state
            try:
                message = end.accept(line)
            except ProtocolError as error:
                check(error)
                assert end.state == before, state
            else:
                assert type(message) in ALLOWED[before] or (message is None and kind is PipeEnd), state
                assert end.state == after(before, type(message)), state


@given(data=st.one_of(wild_bytes, st.binary(), replies.map(encode), near_lines))
def test_a_client_stands_anything_in_every_state(data: bytes) -> None:
    for state in SessionState:
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
            assert end.state == expected, state


@pytest.fixture
def end() -> PipeEnd:
    """A program that is logged in and waits for a match, without having said a word."""
    end = PipeEnd()
    for message in (m.Arena(1, "arena", "open"), m.Welcome("ann"), m.Seeking("any")):
        end.send(message)
    assert end.state is SessionState.SEEKING
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
        with pytest.raises(ProtocolError) as caught:
            end.accept(line)
        assert caught.value.code == Code.WRONG_STATE
        assert str(caught.value).removeprefix(line.split()[0].upper()) == snapshot(
            " is not for a program that plays on stdin and stdout"
        )
        if end.state is SessionState.SEEKING:
            in_match(end)
