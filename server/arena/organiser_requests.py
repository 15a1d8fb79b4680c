"""Actions of organisers, over the network and on pages."""

import re

import trio

from engine.games.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.states import IN_MATCH, State
from engine.wire.words import NAME_PATTERN
from server.arena.arena import Arena

SENT_AT_ONCE = 50
"""Announcements that are sent in a pass of the event loop."""


def annul_match(arena: Arena, number: int, sentence: str) -> None:
    """End a running match without a result; raises `ProtocolError` where there is none."""
    match = arena.matches.get(number)
    if match is None:
        raise ProtocolError(Code.UNKNOWN_MATCH, f"match {number} is not running; see LIST")
    arena.annul(match, Termination.ORGANISER, _add_sentence("the organiser has annulled the match", sentence))


def dismiss_player(arena: Arena, name: str, sentence: str) -> str:
    """Close the session of a player, and return its name; raises `ProtocolError` where nobody is logged in so."""
    # some letters outside of ASCII have lower-case letters inside of it
    key = name.lower() if re.fullmatch(NAME_PATTERN, name) else ""
    dismissed = arena.sessions.get(key)
    if dismissed is None:
        fault = f"nobody is logged in as {name!r}"
        if any(session.name.lower() == key for session in arena.sessions.values()):
            fault = f"{name!r} is a program of a contest, which cannot be dismissed; ANNUL its match"
        raise ProtocolError(Code.UNKNOWN_PLAYER, fault)
    dismissed.close("dismissed", _add_sentence("the organiser has sent you away", sentence))
    arena.disconnect(dismissed)
    return dismissed.name


async def announce(arena: Arena, sentence: m.Text) -> None:
    """Tell everybody who is connected and does not play, and let others get their turn in between.

    Programs of contests are told nothing: each is there for one game.
    """
    for number, player in enumerate(arena.connected_sessions()):
        if player.state not in IN_MATCH and player.state is not State.CLOSED and not player.seat_token:
            player.reply(m.Announcement(sentence))
        if number % SENT_AT_ONCE == 0:
            await trio.lowlevel.checkpoint()


def _add_sentence(sentence: str, more: str) -> str:
    return f"{sentence}: {more}" if more else sentence
