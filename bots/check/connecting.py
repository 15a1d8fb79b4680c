"""Situations from the connection to the first match, and after a connection that was lost in a match."""

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from bots.check.bot_under_test import ANSWER_SECONDS, LOOK_SECONDS, MAX_REFUSALS, BotUnderTest, Situation, greet
from bots.check.conformance_match import MOMENTS, ConformanceMatch, Moment, UnknownReason
from bots.check.peer import Fault, Left, Peer
from bots.check.playing import keep_playing
from engine.games.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code
from engine.wire.coding import REPLY_BYTES

FIRST_WORDS = b"WEATHER fine 21\n"
REPEAT_SECONDS = 2.0
"""How long a bot is watched that is refused again and again."""


def stops_at_another_version(bot: BotUnderTest) -> None:
    """A greeting with a version that the bot cannot know."""
    peer = bot.connection()
    try:
        greet(peer, version=m.VERSION + 1)
        request = peer.request(time.monotonic() + ANSWER_SECONDS)
        while isinstance(request, m.Login):  # may have been on its way before the greeting was read
            request = peer.request(time.monotonic() + REPEAT_SECONDS)
    except Left:
        request = m.Quit()
    finally:
        bot.drop()
    if not isinstance(request, m.Quit):
        did = f"went on with {peer.last!r}" if peer.last else f"waited for {ANSWER_SECONDS:g} s"
        raise Fault(f"{did} after 'ARENA {m.VERSION + 1} …'", "to say so to its user, and to leave", "2.5")


def is_refused(bot: BotUnderTest, *, kind: type, codes: Sequence[str]) -> None:
    """ERROR in answer to LOGIN or SEEK: the request is not repeated for ever."""
    word = m.KINDS[kind]
    for code in codes:
        peer = bot.connection()
        with suppress(Left):
            if kind is m.Seek:
                bot.login(peer)
            else:
                greet(peer)
            request = bot.said(peer, word, "4")
            if not isinstance(request, kind):
                raise Fault(f"said {peer.last!r}", word, "3")
            deadline, count = time.monotonic() + REPEAT_SECONDS, 0
            while isinstance(request, kind):
                count += 1
                if count > MAX_REFUSALS:
                    did = f"said {word} {count} times in {REPEAT_SECONDS:g} s, although ERROR {code} answered each"
                    raise Fault(did, "to leave, or to pause before it tries again", "1.8")
                peer.refuse(code, "this is how a refusal looks")
                request = peer.request(deadline)
        bot.drop()


def match_cannot_be_begun(bot: BotUnderTest) -> None:
    """CANCELLED and ERROR while seeking."""
    peer = bot.seeking()
    with suppress(Left):
        peer.say(m.Cancelled(), m.Error("server_fault", m.Text("the match cannot be begun")))
        bot.said(peer, "SEEK again, or QUIT", "7")
    bot.drop()


def reads(bot: BotUnderTest, *, noisy: bool, right: str, section: str) -> None:
    """Login and a few moves, with messages that no client knows everywhere, or with lines in pieces of three bytes."""
    peer = bot.connection()
    peer.noisy, peer.cut = noisy, not noisy
    try:
        if noisy:
            peer.send(FIRST_WORDS)
        bot.login(peer)
        request = bot.said(peer, "SEEK, or QUIT", "4")
        if not isinstance(request, m.Seek):
            raise Fault(f"said {peer.last!r}", "SEEK", "3")
        bot.accept(peer, request)
    except Left as left:
        bot.lost()
        raise Fault("closed the connection", right, section) from left
    keep_playing(ConformanceMatch(bot), 4)
    bot.drop()


def long_lines(bot: BotUnderTest) -> None:
    """Lines as long as a client has to accept, of a kind that it does not know and of one that it does."""
    table = ConformanceMatch(bot)
    table.announce()
    table.peer.send(b"LETTER " + b"x" * (REPLY_BYTES - 7) + b"\n")
    table.ready()
    table.start()
    table.ply_of_bot()
    table.end(None, UnknownReason.NEW_RULE, "è" * (REPLY_BYTES // 2 - 32))


CONNECTING = (
    Situation("logs in and seeks", BotUnderTest.seeking),
    Situation("stops at a version of the protocol that it does not know", stops_at_another_version),
    Situation(
        "LOGIN is refused: does not repeat it for ever",
        partial(is_refused, kind=m.Login, codes=("name_taken", "bad_name", "bad_token", "some_new_code")),
    ),
    Situation(
        "SEEK is refused: does not repeat it for ever",
        partial(is_refused, kind=m.Seek, codes=("too_many", "stopping", "bad_time")),
    ),
    Situation("a match cannot be begun after all: seeks again, or leaves", match_cannot_be_begun),
    Situation(
        "ignores messages and blocks of unknown kinds",
        partial(reads, noisy=True, right="to ignore lines of a kind that it does not know", section="2.4"),
    ),
    Situation(
        "reads lines that come in pieces",
        partial(reads, noisy=False, right="to put together what comes until an LF", section="2.1"),
    ),
    Situation("reads lines of 65536 bytes, and a reason that it does not know", long_lines),
)


def resume(table: ConformanceMatch) -> None:
    """Cut the connection, wait for RESUME, and tell the bot what it has missed; raises `Fault` without RESUME."""
    table.peer.reset()
    right = f"RESUME {table.header.match} {table.token} over a new connection"
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline:
        peer = table.bot.accept_connection(LOOK_SECONDS)
        if peer is None:
            if ended := table.bot.program_ended():
                raise Fault(f"{ended}, when its connection was lost", right, "11")
            continue
        try:
            greet(peer)
            _await_resume(table, peer, right)
            table.resumed(peer)
            return
        except Left:
            continue
    raise Fault(f"did not come back within {ANSWER_SECONDS:g} s after its connection was lost", right, "11")


def _await_resume(table: ConformanceMatch, peer: Peer, right: str) -> None:
    """Wait for the bot to resume the match over this connection; raises `Left` where it leaves in order."""
    for _ in range(MAX_REFUSALS):
        match table.bot.said(peer, right, "11"):
            case m.Resume(table.header.match, table.token):
                peer.name = table.peer.name
                return
            case m.Resume():
                sentence = f"match {table.header.match} is not to be resumed with this token"
                raise peer.refused(Code.BAD_TOKEN, sentence, right, "11")
            case m.Login(name):
                peer.refuse(Code.NAME_TAKEN, f"{name} plays in match {table.header.match}; come back with RESUME")
    raise Fault(f"said {peer.last!r} {MAX_REFUSALS} times", right, "11")


RESUMED_BUDGET_MS = 20_000


def resumes(bot: BotUnderTest, *, reach: Moment) -> None:
    """The connection is lost at a moment; where it is the opponent's turn, it moves before the bot is back."""
    table = _resumable(bot)
    reach(table)
    if table.is_started and not table.is_over and not table.bot_moves:
        table.played(table.first_move())
    if not table.is_over:
        resume(table)
        if not table.is_started:
            table.ready()
            table.start()
        table.ply_of_bot()
    table.close()


def ended_meanwhile(bot: BotUnderTest) -> None:
    """The match is over when the bot is back: RESULT comes with what it has missed."""
    table = _resumable(bot)
    table.open()
    table.end(table.side, Termination.TIME, "checker ran out of time", says=False)
    resume(table)
    bot.seeking()


def cannot_be_resumed(bot: BotUnderTest) -> None:
    """RESUME is refused: the bot logs in as at first, or leaves."""
    table = _resumable(bot)
    table.open()
    table.peer.close()
    bot.lost()
    bot.seeking()


def _resumable(bot: BotUnderTest) -> ConformanceMatch:
    return ConformanceMatch(bot, budget=RESUMED_BUDGET_MS)


RECONNECTING = (
    *(Situation(f"resumes a match while it {word}", partial(resumes, reach=MOMENTS[word])) for word in MOMENTS),
    Situation("resumes a match that has ended meanwhile", ended_meanwhile),
    Situation("cannot resume a match: logs in again, or leaves", cannot_be_resumed),
)
