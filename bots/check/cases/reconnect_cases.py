"""Situations in which the connection is lost in a match: the bot comes back with RESUME."""

import time

from bots.check.bot_under_test import ANSWER_SECONDS, LOOK_SECONDS, MAX_REFUSALS, BotUnderTest, Situation, greet
from bots.check.conformance_match import ConformanceMatch
from bots.check.peer import Left, Peer
from bots.check.report import Fault
from engine.wire import messages as m
from engine.wire.codes import Code
from engine.wire.coding import encode


def resume(table: ConformanceMatch) -> None:
    """Close the connection, wait for RESUME, and tell the bot what it has missed; raises `Fault` without RESUME."""
    table.peer.close()
    right = f"RESUME {table.number} {table.token} over a new connection"
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline:
        peer = table.bot.accept_connection(LOOK_SECONDS)
        if peer is None:
            if ended := table.bot.program_ended():
                raise Fault(f"{ended}, when its connection was lost", right, "11")
            continue
        try:
            greet(peer)
            if _resumes(table.bot, peer, table, right):
                table.resumed(peer)
                return
        except Left:
            continue
    raise Fault(f"did not come back within {ANSWER_SECONDS:g} s after its connection was lost", right, "11")


def _resumes(bot: BotUnderTest, peer: Peer, table: ConformanceMatch, right: str) -> bool:
    """Tell whether the bot resumes the match over this connection, or leaves in order."""
    for _ in range(MAX_REFUSALS):
        match bot.said(peer, right, "11"):
            case m.Resume(table.number, table.token):
                peer.name = table.peer.name
                return True
            case m.Resume():
                peer.refuse(Code.BAD_TOKEN, f"match {table.number} is not to be resumed with this token")
                raise Fault(f"said {peer.last!r}", right, "11")
            case m.Login(name):
                peer.refuse(Code.NAME_TAKEN, f"{name} plays in match {table.number}; come back with RESUME")
            case m.Quit():
                return False
    raise Fault(f"said {peer.last!r} {MAX_REFUSALS} times", right, "11")


AWAY_SECONDS = 1.0
"""How long a server that has died refuses connections."""

BUDGET_MS = 20_000


def while_preparing(bot: BotUnderTest) -> None:
    """Directly behind MATCH and BOARD: READY is said, or said again, over the new connection."""
    table = _table(bot)
    table.announce()
    resume(table)
    table.ready()
    table.start()
    _goes_on(table)


def while_waiting(bot: BotUnderTest) -> None:
    """In the middle of a line, while the opponent is on turn, who moves before the bot is back."""
    table = _table(bot)
    table.opening()
    if table.bot_moves:
        table.exchange()
    if not table.over():
        moved = table.played(table.first_move())
        line = encode(moved)
        table.peer.send(line[: len(line) // 2])
        resume(table)
        _goes_on(table)


def while_thinking(bot: BotUnderTest) -> None:
    """Directly behind TURN; the server has died, and refuses connections for a while."""
    table = _table(bot)
    table.opening()
    table.turn_to_bot()
    table.peer.reset()
    bot.be_away(AWAY_SECONDS)
    resume(table)
    _goes_on(table)


def again_and_again(bot: BotUnderTest) -> None:
    """Three times in one match, with more and more moves to catch up with."""
    table = _table(bot)
    table.opening()
    for _ in range(3):
        for _ in range(2):
            table.ply()
            if table.over():
                return
        resume(table)
    _goes_on(table)


def ended_meanwhile(bot: BotUnderTest) -> None:
    """The match is over when the bot is back: RESULT comes with what it has missed."""
    table = _table(bot)
    table.opening()
    resume(table)
    table.result(table.name, "time", "checker ran out of time")
    bot.seeking()


def cannot_be_resumed(bot: BotUnderTest) -> None:
    """RESUME is refused: the bot logs in as at first, or leaves."""
    table = _table(bot)
    table.opening()
    table.peer.close()
    bot.lost()
    bot.seeking()


def _table(bot: BotUnderTest) -> ConformanceMatch:
    return ConformanceMatch(bot, budget=BUDGET_MS)


def _goes_on(table: ConformanceMatch) -> None:
    """Let the bot move, on its turn, and end the match."""
    while not table.over():
        done = table.bot_moves
        table.ply()
        if done:
            break
    table.close()


SITUATIONS = (
    Situation("resumes a match that it was preparing for", while_preparing),
    Situation("resumes a match while it waits; the connection ends within a line", while_waiting),
    Situation("resumes a match while it thinks; the server is away for a second", while_thinking),
    Situation("resumes a match again and again", again_and_again),
    Situation("resumes a match that has ended meanwhile", ended_meanwhile),
    Situation("cannot resume a match: logs in again, or leaves", cannot_be_resumed),
)
