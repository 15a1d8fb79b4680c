"""Situations from the connection to the first match."""

import time
from contextlib import suppress

from bots.check.bot_under_test import ANSWER_SECONDS, LOOK_SECONDS, MAX_REFUSALS, BotUnderTest, greet
from bots.check.conformance_match import ConformanceMatch
from bots.check.peer import Left, Peer
from bots.check.report import Fault
from bots.check.situation import Situation
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.lines import REPLY_BYTES

FIRST_WORDS = b"WEATHER fine 21\n"
REPEAT_SECONDS = 2.0
"""How long a bot is watched that is refused again and again."""


def logs_in_and_seeks(subject: BotUnderTest) -> None:
    """Greeting, LOGIN, SEEK."""
    subject.seeking()


def waits_for_the_greeting(subject: BotUnderTest) -> None:
    """Whatever comes first, nothing but LOGIN is said; the greeting comes in pieces."""
    peer = subject.connection()
    with suppress(Left):
        peer.cut = True
        greet(peer)
        peer.cut = False
        subject.login(peer)
        return
    raise Fault("closed the connection at the greeting", "LOGIN", "4")


def stops_at_another_version(subject: BotUnderTest) -> None:
    """A greeting with a version that the bot cannot know."""
    peer = subject.connection()
    try:
        greet(peer, version=m.VERSION + 1)
        request = peer.request(time.monotonic() + ANSWER_SECONDS)
        while isinstance(request, m.Login):  # may have been on its way before the greeting was read
            request = peer.request(time.monotonic() + REPEAT_SECONDS)
    except Left:
        request = m.Quit()
    finally:
        subject.drop()
    if not isinstance(request, m.Quit):
        did = f"went on with {peer.last!r}" if peer.last else f"waited for {ANSWER_SECONDS:g} s"
        raise Fault(f"{did} after 'ARENA {m.VERSION + 1} …'", "to say so to its user, and to leave", "2.5")


def login_is_refused(subject: BotUnderTest) -> None:
    """ERROR in answer to LOGIN."""
    for code in ("name_taken", "bad_name", "bad_token", "some_new_code"):
        peer = subject.connection()
        greet(peer)
        _refused(subject, peer, m.Login, "LOGIN", code)
        subject.drop()


def seek_is_refused(subject: BotUnderTest) -> None:
    """ERROR in answer to SEEK."""
    for code in ("too_many", "stopping", "bad_time"):
        peer = subject.connection()
        with suppress(Left):
            subject.login(peer)
            _refused(subject, peer, m.Seek, "SEEK", code)
        subject.drop()


def match_cannot_be_begun(subject: BotUnderTest) -> None:
    """CANCELLED and ERROR while seeking."""
    peer = subject.seeking()
    with suppress(Left):
        peer.say(m.Cancelled(), m.Error("server_fault", m.Text("the match cannot be begun")))
        subject.said(peer, "SEEK again, or QUIT", "7")
    subject.drop()


def server_says_goodbye(subject: BotUnderTest) -> None:
    """BYE while seeking: the bot leaves, or comes again and again, but not in a hurry."""
    peer = subject.seeking()
    with suppress(Left):
        peer.say(m.Cancelled(), m.Bye("stopping", m.Text("the server is shutting down")))
    peer.close()
    deadline, count = time.monotonic() + REPEAT_SECONDS, 0
    while (seconds := deadline - time.monotonic()) > 0:
        visitor = subject.accept_connection(min(seconds, LOOK_SECONDS))
        if visitor is not None:
            count += 1
            visitor.close()
        elif subject.program_ended():
            break
        if count > MAX_REFUSALS:
            subject.drop()
            raise Fault(f"connected {count} times in {REPEAT_SECONDS:g} s after BYE", "to pause between attempts", "5")
    subject.drop()


def unknown_kinds(subject: BotUnderTest) -> None:
    """Messages and blocks that no client knows, everywhere."""
    peer = subject.connection()
    peer.noisy = True
    peer.send(FIRST_WORDS)
    _plays(subject, peer, "to ignore lines of a kind that it does not know", "2.4")
    subject.drop()


def lines_in_pieces(subject: BotUnderTest) -> None:
    """Three bytes at a time."""
    peer = subject.connection()
    peer.cut = True
    _plays(subject, peer, "to put together what comes until an LF", "2.1")
    subject.drop()


def long_lines(subject: BotUnderTest) -> None:
    """Lines as long as a client has to accept, of a kind that it does not know and of one that it does."""
    table = ConformanceMatch(subject)
    table.announce()
    table.peer.send(b"LETTER " + b"x" * (REPLY_BYTES - 7) + b"\n")
    table.ready()
    table.start()
    if table.history.position.turn != table.side:
        table.moved(_first(table))
    table.exchange()
    message = table.result_message("draw", "by_a_new_rule", "")
    room = REPLY_BYTES - len(encode(message)) - 2
    table.peer.result(message._replace(sentence=m.Text("è" * (room // 2))))


def _plays(subject: BotUnderTest, peer: Peer, right: str, section: str) -> None:
    """Login and a few moves, over this connection; a bot that leaves before is told what would have been right."""
    try:
        subject.login(peer)
        request = subject.lobby(peer)
        if not isinstance(request, m.Seek):
            raise Fault(f"said {peer.last!r}", "SEEK", "3")
        subject.accept(peer, request)
    except Left as left:
        subject.lost()
        raise Fault("closed the connection", right, section) from left
    table = ConformanceMatch(subject)
    table.opening()
    for _ in range(4):
        if table.history.position.turn == table.side:
            table.exchange()
        else:
            table.moved(_first(table))
        if table.over():
            break
    table.close()


def _first(table: ConformanceMatch) -> str:
    return next(iter(table.history.position.successors())).move


def _refused(subject: BotUnderTest, peer: Peer, kind: type, word: str, code: str) -> None:
    """Refuse requests of a kind, and see that they are not repeated for ever."""
    try:
        request = subject.said(peer, word, "4")
        if not isinstance(request, kind):
            raise Fault(f"said {peer.last!r}", word, "3")
        deadline, count = time.monotonic() + REPEAT_SECONDS, 0
        while isinstance(request, kind):
            count += 1
            if count > MAX_REFUSALS:
                did = f"said {word} {count} times in {REPEAT_SECONDS:g} s, although each was answered by ERROR {code}"
                raise Fault(did, "to leave, or to pause before it tries again", "1.8")
            peer.refuse(code, "this is how a refusal looks")
            request = peer.request(deadline)
    except Left:
        pass


SITUATIONS = (
    Situation("logs in and seeks", logs_in_and_seeks),
    Situation("reads a greeting that comes in pieces", waits_for_the_greeting),
    Situation("stops at a version of the protocol that it does not know", stops_at_another_version),
    Situation("LOGIN is refused: does not repeat it for ever", login_is_refused),
    Situation("SEEK is refused: does not repeat it for ever", seek_is_refused),
    Situation("a match cannot be begun after all: seeks again, or leaves", match_cannot_be_begun),
    Situation("BYE while it seeks: does not come back in a hurry", server_says_goodbye),
    Situation("ignores messages and blocks of unknown kinds", unknown_kinds),
    Situation("reads lines that come in pieces", lines_in_pieces),
    Situation("reads lines of 65536 bytes, and a reason that it does not know", long_lines),
)
