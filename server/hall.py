"""The hall: who is here, who waits, which matches are played. Decides at once, and never waits.

Sessions hand in the requests that the protocol allows them; the hall answers through them.
"""

import hmac
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

import structlog

from engine import record
from engine.catalogue import GAMES
from engine.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from server import lobby, referee
from server.archive import Archive, Journal, Keys
from server.flags import FlagKeeper
from server.match import Match, Surroundings, header_of, tell_over
from server.outbox import Outbox
from server.recovery import finished
from server.referee import State
from server.settings import LISTED_MOVES, NAME_PATTERN, RECENT_MATCHES, REQUESTS_PER_TURN, Settings

log = structlog.get_logger()


class Player(Protocol):
    """What the hall needs of a session."""

    name: str
    house: bool
    match: Match | None
    """The match that the session plays in or watches."""
    side: int | None
    """Its side where it plays."""

    def reply(self, message: m.Message) -> None:
        """Send a message."""

    def tell(self, kinds: tuple[type, ...], data: bytes) -> None:
        """Send messages of these kinds, already encoded."""

    def leave(self) -> None:
        """The match is over."""

    def close(self, reason: str, sentence: str) -> None:
        """Say goodbye and close the connection."""


class Hall:
    """Everything that the server knows while it runs."""

    def __init__(
        self,
        settings: Settings,
        archive: Archive,
        flags: FlagKeeper,
        outbox: Outbox,
        clock: Callable[[], int],
        server: str,
    ) -> None:
        """Open the hall, empty. ``clock`` counts microseconds; ``server`` names the program in records."""
        self.settings = settings
        self.server = server
        self.sessions: dict[str, Player] = {}
        """Sessions that are logged in, by name in lower case."""
        self.matches: dict[int, Match] = {}
        self.house_tokens: dict[str, str] = {}
        """Name in lower case -> token of the server's own bots."""
        self.stopping = False
        self.ports: list[int] = []
        """Where the server listens."""
        self._present: dict[Player, None] = {}
        self._recent: deque[Match] = deque(maxlen=RECENT_MATCHES)
        self._lobby = lobby.Lobby()
        self._archive = archive
        self.outbox = outbox
        self._around = Surroundings(clock, flags, outbox, self._ended, self._match_fault)
        self._answers: dict[type, Callable[[Player, m.Message, int], None]] = {
            m.Login: self._login,
            m.Resume: self._resume,
            m.Seek: self._seek,
            m.Cancel: self._cancel,
            m.Ready: self._ready,
            m.Move: self._move,
            m.Resign: self._resign,
            m.AskBoard: self._board,
            m.AskMoves: self._moves,
            m.List: self._list,
            m.Watch: self._watch,
            m.Unwatch: self._unwatch,
            m.AskRecord: self._record,
            m.Ping: self._ping,
            m.AskHelp: self._help,
            m.Quit: self._quit,
        }

    def answer(self, player: Player, message: m.Message, arrived: int) -> None:
        """Do what a session asks for. Raises `ProtocolError`, after which nothing has changed."""
        self._answers[type(message)](player, message, arrived)

    def come(self, player: Player) -> None:
        """A connection was accepted."""
        self._present[player] = None

    def everybody(self) -> list[Player]:
        """Return all sessions, guests included."""
        return list(self._present)

    def stop(self) -> None:
        """Begin no more matches."""
        self.stopping = True
        for name in list(self.waiting()):
            self.sessions[name.lower()].reply(m.Cancelled())
        self._lobby = lobby.Lobby()

    def gone(self, player: Player) -> None:
        """A session's connection is closed: forget it, but keep its seat in a match."""
        self._present.pop(player, None)
        if player.name and self.sessions.get(player.name.lower()) is player:
            del self.sessions[player.name.lower()]
            self._lobby = lobby.remove(self._lobby, player.name)
        match = player.match
        player.match = None
        if match is None:
            return
        if player.side is None:
            match.watchers.pop(player, None)
        elif match.players[player.side] is player:
            try:
                match.lost(player.side)
            except OSError as error:
                self._match_fault(match, error)

    def fault(self, player: Player, error: Exception) -> None:
        """Something went wrong in the server while it did what a session asked for: annul that match alone."""
        log.error("server fault", player=player.name, exc_info=error)
        if player.match is not None and player.side is not None:
            self._match_fault(player.match, error)

    def _match_fault(self, match: Match, error: Exception) -> None:
        log.error("match annulled", match=match.number, exc_info=error)
        self.annul(match, Termination.SERVER_FAULT, f"a fault of the server's own: {type(error).__name__}")

    def annul(self, match: Match, termination: Termination, sentence: str) -> None:
        """End a match without a result, whatever state it is in."""
        try:
            match.annul(termination, sentence)
        except Exception as error:
            log.error("a match could not be annulled in order", match=match.number, exc_info=error)
            match.abandon(termination, sentence)

    def waiting(self) -> Iterator[str]:
        """Name those who wait to be paired."""
        return (seek.name for seek in self._lobby.seeks)

    def _login(self, player: Player, message: m.Login, _arrived: int) -> None:
        if not re.fullmatch(NAME_PATTERN, message.name):
            sentence = f"a name is 1 to 32 letters, digits, and any of _ . - behind the first; not {message.name!r}"
            raise ProtocolError(Code.BAD_NAME, sentence)
        key = message.name.lower()
        self._check_token(key, message.token)
        match, side = self._seated(key)
        if match is not None and not match.heard[side]:
            self.annul(match, Termination.SERVER_FAULT, f"the server died before {message.name} was told of the match")
        elif match is not None:
            sentence = f"{message.name} plays in match {match.number}; come back to it with RESUME {match.number} TOKEN"
            raise ProtocolError(Code.NAME_TAKEN, sentence)
        if key in self.sessions:
            raise ProtocolError(Code.NAME_TAKEN, f"somebody is logged in as {self.sessions[key].name}")
        self._enter(player, message.name)

    def _check_token(self, key: str, token: str) -> None:
        house = self.house_tokens.get(key)
        if house is not None:
            if not _same(house, token):
                raise ProtocolError(Code.NAME_TAKEN, "this is the name of one of the server's own bots")
            return
        if self.settings.tokens is None:
            return
        known = self.settings.tokens.get(key, "")
        if not _same(known, sha256(token.encode()).hexdigest()):
            raise ProtocolError(
                Code.BAD_TOKEN, "players log in here with the token that they were given: LOGIN NAME TOKEN"
            )

    def _enter(self, player: Player, name: str) -> None:
        player.name = name
        player.house = name.lower() in self.house_tokens
        self.sessions[name.lower()] = player
        player.reply(m.Welcome(name))

    def _seated(self, key: str) -> tuple[Match | None, int]:
        """Return the match, and side, in which a player of that name has a seat but no connection."""
        for match in self.matches.values():
            for side in (0, 1):
                if match.players[side] is None and match.header.players[side].lower() == key:
                    return match, side
        return None, 0

    def _resume(self, player: Player, message: m.Resume, _arrived: int) -> None:
        match = self._find(message.match)
        keys = match.keys if match is not None else self._archive.keys(message.match)
        side = keys.side_of(message.token) if keys is not None else None
        state = None if side is None else match.state if match is not None else self._past(message.match)
        if side is None or state is None:
            sentence = f"match {message.match} is not to be resumed with this token; log in with LOGIN"
            raise ProtocolError(Code.BAD_TOKEN, sentence)
        name = state.header.players[side]
        before = self.sessions.get(name.lower())
        if before is not None:
            if match is None or before.match is not match:
                raise ProtocolError(Code.NAME_TAKEN, f"match {message.match} is over, and {name} is logged in again")
            before.match = None  # the seat is taken over: the old connection leaves without a trace
            before.close("resumed", "the match was resumed over another connection")
        self._enter(player, name)
        player.match, player.side = match, side
        if match is not None:
            match.resume(side, player, message.token)
        else:
            tell_over(player, state, side, message.token)

    def _past(self, number: int) -> State | None:
        """Return a match that had ended before the server was started, None where its record cannot be read."""
        text = self._archive.read(number)
        return None if text is None else finished(text)

    def _find(self, number: int) -> Match | None:
        if number in self.matches:
            return self.matches[number]
        return next((match for match in self._recent if match.number == number), None)

    def _seek(self, player: Player, message: m.Seek, _arrived: int) -> None:
        if self.stopping:
            raise ProtocolError(Code.STOPPING, "the server is shutting down and begins no new match")
        game = GAMES.get(message.game)
        if game is None:
            sentence = f"there is no game {message.game!r} here; there is {', '.join(GAMES)}"
            raise ProtocolError(Code.UNKNOWN_GAME, sentence)
        if len(self.matches) >= self.settings.most_matches:
            raise ProtocolError(Code.TOO_MANY, f"{self.settings.most_matches} matches are running; try again later")
        seek = lobby.read_seek(player.name, game, message.options, self.settings)._replace(house=player.house)
        player.reply(m.Seeking(message.game, m.Text(lobby.describe(seek, game))))
        self._lobby, pairing = lobby.add(self._lobby, seek)
        if pairing is not None:
            try:
                self.begin(pairing)
            except OSError as error:
                log.error("no match can be begun", exc_info=error)
                for name in pairing.names:
                    session = self.sessions[name.lower()]
                    session.reply(m.Cancelled())
                    session.reply(m.Error(Code.SERVER_FAULT, m.Text("the server cannot write records now")))

    def begin(self, pairing: lobby.Pairing) -> Match:
        """Begin a match between two sessions that are logged in."""
        number = self._archive.next_number()
        header = header_of(
            number,
            pairing.game,
            pairing.parameters,
            players=pairing.names,
            control=lobby.control(pairing, self.settings.control),
            move_limit=self.settings.move_limit,
            server=self.server,
            started=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )
        tokens = (secrets.token_hex(16), secrets.token_hex(16))
        keys = Keys.of(*tokens)
        match = Match(referee.begin(header), keys, self._archive.begin(number, keys, header.text()), self._around)
        self.matches[number] = match
        sessions = [self.sessions[name.lower()] for name in pairing.names]
        for side, session in enumerate(sessions):
            session.match, session.side = match, side
        match.announce(sessions, tokens)
        return match

    def take_up(self, state: State, keys: Keys, journal: Journal, heard: tuple[bool, bool]) -> None:
        """Go on with a match that was running when the last server died, and wait for its players.

        ``heard`` tells who is known to have been told of it: only their names are kept for them.
        """
        match = Match(state, keys, journal, self._around, state.sent)
        match.heard = list(heard)
        self.matches[match.number] = match

    def _ended(self, match: Match) -> None:
        self.matches.pop(match.number, None)
        self._recent.append(match)
        state = match.state
        assert state.outcome is not None
        log.info(
            "match",
            number=match.number,
            game=match.header.position.game.name,
            parameters=match.header.position.parameters,
            players=match.header.players,
            result=state.outcome.result(state.sides),
            reason=str(state.outcome.termination),
            plies=state.history.plies,
            left_ms=tuple(map(record.milliseconds, state.clock.left)),
        )

    def _cancel(self, player: Player, _message: m.Cancel, _arrived: int) -> None:
        self._lobby = lobby.remove(self._lobby, player.name)
        player.reply(m.Cancelled())

    def _ready(self, player: Player, _message: m.Ready, arrived: int) -> None:
        match, side = _seat(player)
        match.ready(side, arrived)

    def _move(self, player: Player, message: m.Move, arrived: int) -> None:
        match, side = _seat(player)
        match.move(side, message.move, arrived)

    def _resign(self, player: Player, _message: m.Resign, _arrived: int) -> None:
        match, side = _seat(player)
        match.resign(side)

    def _board(self, player: Player, _message: m.AskBoard, _arrived: int) -> None:
        assert player.match is not None
        if player.side is not None:
            asked = player.match.boards_asked
            asked[player.side] += 1
            _limit("BOARD", asked[player.side])
        player.reply(referee.board(player.match.state))

    def _moves(self, player: Player, _message: m.AskMoves, _arrived: int) -> None:
        match, _ = _seat(player)
        match.moves_asked += 1
        _limit("MOVES", match.moves_asked)
        try:
            moves = match.legal_moves()
        except OverflowError:
            moves = None
        if moves is None or len(moves.lines) > LISTED_MOVES:
            raise ProtocolError(Code.TOO_MANY, f"more than {LISTED_MOVES} moves are legal here; they are not listed")
        player.reply(moves)

    def _list(self, player: Player, _message: m.List, _arrived: int) -> None:
        lines = [match.line() for match in (*self._recent, *self.matches.values())]
        player.reply(m.Matches(m.Block(tuple(lines))))

    def _watch(self, player: Player, message: m.Watch, _arrived: int) -> None:
        match = self._find(message.match)
        if match is None:
            sentence = (
                f"match {message.match} is not running, nor has it just ended; see LIST, or RECORD for older ones"
            )
            raise ProtocolError(Code.UNKNOWN_MATCH, sentence)
        player.match, player.side = match, None
        match.watch(player)

    def _unwatch(self, player: Player, _message: m.Unwatch, _arrived: int) -> None:
        if player.match is not None:
            player.match.watchers.pop(player, None)
            player.match = None
        player.reply(m.Unwatched())

    def _record(self, player: Player, message: m.AskRecord, _arrived: int) -> None:
        text = self._archive.read(message.match)
        if text is None:
            running = " yet: it is being played" if message.match in self.matches else ""
            raise ProtocolError(Code.UNKNOWN_MATCH, f"there is no record of match {message.match}{running}")
        player.reply(m.Record(message.match, m.Block(tuple(text.splitlines()))))

    def _ping(self, player: Player, message: m.Ping, _arrived: int) -> None:
        player.reply(m.Pong(message.text))

    def _help(self, player: Player, _message: m.AskHelp, _arrived: int) -> None:
        lines = [(cls.__doc__ or "").splitlines()[0].replace("``", "") for cls in m.REQUESTS.values()]
        player.reply(m.Help(m.Block(tuple(lines))))

    def _quit(self, player: Player, _message: m.Quit, _arrived: int) -> None:
        player.close("quit", "goodbye")


def _seat(player: Player) -> tuple[Match, int]:
    assert player.match is not None and player.side is not None
    return player.match, player.side


def _same(secret: str, given: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(secret.encode(), given.encode())


def _limit(kind: str, asked: int) -> None:
    if asked > REQUESTS_PER_TURN:
        sentence = f"{kind} was asked for {REQUESTS_PER_TURN} times since the last move; wait for the next one"
        raise ProtocolError(Code.TOO_MANY, sentence)
