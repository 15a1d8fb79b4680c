"""Requests of organisers, who log in with the token whose hash is `Settings.organiser`."""

import re
from collections.abc import Callable

import structlog
import trio

from engine.games.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.ends import IN_MATCH, State
from engine.wire.words import NAME_PATTERN
from server.arena.arena import Arena
from server.arena.roles import Player
from server.config import tokens

log = structlog.get_logger()

SENT_AT_ONCE = 50
"""Announcements that are sent in a pass of the event loop."""


class OrganiserRequests:
    """Carries out the requests of organisers."""

    def __init__(self, arena: Arena) -> None:
        """Take the arena."""
        self._arena = arena
        self.answers: dict[type, Callable[[Player, m.Message, int], None]] = {
            m.Organise: self._organise,
            m.Annul: self._annul,
            m.Dismiss: self._dismiss,
        }
        """Handler of each request."""

    def _organise(self, player: Player, message: m.Organise, _arrived: int) -> None:
        if not tokens.fits(self._arena.settings.organiser, message.token):
            raise ProtocolError(Code.BAD_TOKEN, "nobody organises here with this token")
        player.reply(m.Organising())
        log.info("organiser_requested", request="ORGANISE")

    def _annul(self, player: Player, message: m.Annul, _arrived: int) -> None:
        annul_match(self._arena, message.match, message.sentence)
        player.reply(m.Annulled(message.match))
        self._arena.organiser_done(f"annulled match {message.match}")
        log.info("organiser_requested", request="ANNUL", match=message.match, sentence=repr(message.sentence))

    def _dismiss(self, player: Player, message: m.Dismiss, _arrived: int) -> None:
        name = dismiss_player(self._arena, message.name, message.sentence)
        player.reply(m.Dismissed(name))
        self._arena.organiser_done(f"sent {name} away")
        log.info("organiser_requested", request="DISMISS", name=name, sentence=repr(message.sentence))


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
