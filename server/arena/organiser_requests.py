"""Requests of organisers, who log in with the token whose hash is `Settings.organiser`."""

import re
from collections.abc import Callable

import structlog

from engine.games.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.words import NAME_PATTERN
from server.arena.arena import Arena, Player
from server.config import tokens

log = structlog.get_logger()


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
        match = self._arena.matches.get(message.match)
        if match is None:
            raise ProtocolError(Code.UNKNOWN_MATCH, f"match {message.match} is not running; see LIST")
        self._arena.annul(
            match, Termination.ORGANISER, _add_sentence("the organiser has annulled the match", message.sentence)
        )
        player.reply(m.Annulled(match.number))
        log.info("organiser_requested", request="ANNUL", match=match.number, sentence=repr(message.sentence))

    def _dismiss(self, player: Player, message: m.Dismiss, _arrived: int) -> None:
        # some letters outside of ASCII have lower-case letters inside of it
        key = message.name.lower() if re.fullmatch(NAME_PATTERN, message.name) else ""
        dismissed = self._arena.sessions.get(key)
        if dismissed is None:
            sentence = f"nobody is logged in as {message.name!r}"
            if any(session.name.lower() == key for session in self._arena.sessions.values()):
                sentence = f"{message.name!r} is a program of a contest, which cannot be dismissed; ANNUL its match"
            raise ProtocolError(Code.UNKNOWN_PLAYER, sentence)
        dismissed.close("dismissed", _add_sentence("the organiser has sent you away", message.sentence))
        self._arena.disconnect(dismissed)
        player.reply(m.Dismissed(dismissed.name))
        log.info("organiser_requested", request="DISMISS", name=dismissed.name, sentence=repr(message.sentence))


def _add_sentence(sentence: str, more: str) -> str:
    return f"{sentence}: {more}" if more else sentence
