"""A bot that comes back after a lost connection."""

import time

from bots.check.bot_under_test import ANSWER_SECONDS, LOOK_SECONDS, MAX_REFUSALS, BotUnderTest, greet
from bots.check.conformance_match import ConformanceMatch
from bots.check.peer import Left, Peer
from bots.check.report import Fault
from engine.wire import messages as m
from engine.wire.codes import Code


def resume(table: ConformanceMatch) -> None:
    """Wait until the bot is back with RESUME, and tell it what it has missed; raises `Fault` where it is not."""
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
