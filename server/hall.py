"""The hall: who is here, who waits, which matches are played. Decides at once, and never waits.

Sessions hand in the requests that the protocol allows them; the hall answers through them.
"""

import hmac
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Protocol

import structlog
import trio

from engine import record
from engine.catalogue import GAMES
from engine.clock import TimeControl
from engine.game import Position
from engine.outcome import Termination
from engine.record import Header
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.words import ANY
from server import lobby, referee, tokens
from server.archive import Archive, Journal, Keys
from server.flags import FlagKeeper
from server.loopwatch import Stalls
from server.match import Match, Surroundings
from server.organise.desk import Desk
from server.outbox import Outbox
from server.recovery import finished
from server.referee import State
from server.settings import LISTED_MOVES, NAME_PATTERN, RECENT_MATCHES, REQUESTS_PER_TURN, Settings
from server.tally import SUSPENDED, Tally
from server.telling import tell_over

log = structlog.get_logger()


class Player(Protocol):
    """What the hall needs of a session."""

    name: str
    key: str
    """By which it stands among the sessions: the name in lower case, but for programs of a contest."""
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
        """Sessions that are logged in, by `Player.key`."""
        self.matches: dict[int, Match] = {}
        self.house_tokens: dict[str, str] = {}
        """Name in lower case -> token of the server's own bots."""
        self.stopping = False
        self.closing = trio.Event()
        """Set when the server is to stop without a signal."""
        self.ports: list[int] = []
        """Where the server listens."""
        self.own_address = ("127.0.0.1", 0)
        """Where the server's own programs find it, without TLS."""
        self.web_ports: list[int] = []
        """Where it serves pages."""
        self._present: dict[Player, None] = {}
        self.recent: deque[Match] = deque(maxlen=RECENT_MATCHES)
        """The last matches that have ended."""
        self._lobby = lobby.Lobby()
        self.desk = Desk()
        self._archive = archive
        self.outbox = outbox
        self.stalls = Stalls()
        ends = (self._ended, self._match_fault)
        self.clock = clock
        self.tally = Tally(clock, outbox)
        self._around = Surroundings(clock, flags, outbox, *ends, self.stalls, self.tally.moved, settings.delay_moves)
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
            m.Echo: self._echo,
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
        for player in [*(self.sessions[name.lower()] for name in self.waiting()), *self.desk.close()]:
            player.reply(m.Cancelled())
        self._lobby = lobby.Lobby()

    def gone(self, player: Player) -> None:
        """A session's connection is closed: forget it, but keep its seat in a match."""
        self._present.pop(player, None)
        if self.sessions.get(player.key) is player:
            del self.sessions[player.key]
            self._lobby = lobby.remove(self._lobby, player.name)
        self.desk.remove(player)
        match = player.match
        player.match = None
        if match is None:
            return
        if player.side is None:
            match.watchers.pop(player, None)
        elif match.players[player.side] is player:
            try:
                match.lost(player.side)
            except Exception as error:
                self._match_fault(match, error)

    def fault(self, player: Player, error: Exception) -> bool:
        """Something went wrong in the server while it did what a session asked for: annul that match alone.

        Return whether there was one, in which the session played: then nothing else is wrong with the session.
        """
        log.error("server fault", player=player.name, exc_info=error)
        if player.match is None or player.side is None:
            return False
        self._match_fault(player.match, error)
        return True

    def crashed(self, number: int, side: int, sentence: str) -> None:
        """The program that plays a side of a match has ended."""
        match = self.matches.get(number)
        if match is not None:
            try:
                match.crashed(side, sentence)
            except OSError as error:
                self._match_fault(match, error)

    def _match_fault(self, match: Match, error: Exception) -> None:
        """Annul a match; whatever else goes wrong in it ends here."""
        log.error("match annulled", match=match.number, exc_info=error)
        try:
            self.annul(match, Termination.SERVER_FAULT, f"a fault of the server's own: {type(error).__name__}")
        except Exception as another:
            log.error("a fault behind a fault", match=match.number, exc_info=another)

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
        seat = self.desk.seat_of(message.name, message.token)
        if seat is not None:
            self.desk.entered(player, message.token)
            self._enter(player, message.name, seat)
            return
        self._check_token(key, message.token)
        match, side = self._seated(key)
        if match is not None and not match.heard[side]:
            self.annul(match, Termination.SERVER_FAULT, f"the server died before {message.name} was told of the match")
        elif match is not None:
            sentence = f"{message.name} plays in match {match.number}; come back to it with RESUME {match.number} TOKEN"
            raise ProtocolError(Code.NAME_TAKEN, sentence)
        if key in self.sessions:
            raise ProtocolError(Code.NAME_TAKEN, f"somebody is logged in as {self.sessions[key].name}")
        self._enter(player, message.name, key)

    def _check_token(self, key: str, token: str) -> None:
        house = self.house_tokens.get(key)
        if house is not None:
            if not _same(house, token):
                raise ProtocolError(Code.NAME_TAKEN, "this is the name of one of the server's own bots")
            return
        known = self.desk.token_of(key)
        if not known:
            if self.settings.tokens is None:
                return
            known = self.settings.tokens.get(key, "")
        if not tokens.fits(known, token):
            raise ProtocolError(
                Code.BAD_TOKEN, "players log in here with the token that they were given: LOGIN NAME TOKEN"
            )

    def _enter(self, player: Player, name: str, key: str) -> None:
        player.name, player.key = name, key
        player.house = key in self.house_tokens
        self.sessions[key] = player
        player.reply(m.Welcome(name))

    def _seated(self, key: str) -> tuple[Match | None, int]:
        """Return the match, and side, in which a player of that name has a seat but no connection."""
        for match in self.matches.values():
            for side in (0, 1):
                if match.players[side] is None and match.names[side] == key:
                    return match, side
        return None, 0

    def _resume(self, player: Player, message: m.Resume, _arrived: int) -> None:
        match = self.find(message.match)
        keys = match.keys if match is not None else self._archive.keys(message.match)
        side = keys.side_of(message.token) if keys is not None else None
        past = None if match is not None else self.past(message.match)
        state = match.state if match is not None else past and past[0]
        if side is None or state is None:
            sentence = f"match {message.match} is not to be resumed with this token; log in with LOGIN"
            raise ProtocolError(Code.BAD_TOKEN, sentence)
        name = state.header.players[side]
        key = match.names[side] if match is not None else name.lower()
        before = self.sessions.get(key)
        if before is not None:
            if match is None or before.match is not match:
                raise ProtocolError(Code.NAME_TAKEN, f"match {message.match} is over, and {name} is logged in again")
            before.match = None  # the seat is taken over: the old connection leaves without a trace
            before.close("resumed", "the match was resumed over another connection")
        self._enter(player, name, key)
        player.match, player.side = match, side
        if match is not None:
            match.resume(side, player, message.token)
        else:
            tell_over(player, state, side, message.token)

    def find(self, number: int) -> Match | None:
        """Return a match that is running, or was among the last to end."""
        if number in self.matches:
            return self.matches[number]
        return next((match for match in self.recent if match.number == number), None)

    def _seek(self, player: Player, message: m.Seek, _arrived: int) -> None:
        if self.stopping:
            raise ProtocolError(Code.STOPPING, "the server is shutting down and begins no new match")
        game = GAMES.get(message.game)
        if message.game == ANY:
            self.desk.offers(player, None)
            player.reply(m.Seeking(ANY))
            return
        if game is None:
            sentence = f"there is no game {message.game!r} here; there is {', '.join(GAMES)}"
            raise ProtocolError(Code.UNKNOWN_GAME, sentence)
        if len(self.matches) >= self.settings.most_matches:
            raise ProtocolError(Code.TOO_MANY, f"{self.settings.most_matches} matches are running; try again later")
        seek = lobby.read_seek(player.name, game, message.options, self.settings)._replace(house=player.house)
        if self.desk.offers(player, seek):
            player.reply(m.Seeking(message.game, m.Text(lobby.describe(seek, game))))
            return
        player.reply(m.Seeking(message.game, m.Text(lobby.describe(seek, game))))
        self._lobby, pairing = lobby.add(self._lobby, seek)
        if pairing is not None:
            try:
                self.begin(pairing)
            except Exception as error:
                log.error("no match can be begun", exc_info=error)
                fault = "write records" if isinstance(error, OSError) else "begin this match"
                for name in pairing.names:
                    session = self.sessions[name.lower()]
                    session.reply(m.Cancelled())
                    session.reply(m.Error(Code.SERVER_FAULT, m.Text(f"the server cannot {fault} now")))

    def begin(self, pairing: lobby.Pairing) -> Match:
        """Begin a match between two sessions that are logged in."""
        game = GAMES[pairing.game]
        position = game.start(game.default_parameters if pairing.parameters is None else pairing.parameters)
        control = lobby.control(pairing, self.settings.control)
        sessions = [self.sessions[name.lower()] for name in pairing.names]
        return self.seat(self.next_number(), position, sessions, control, self.settings.move_limit)

    def next_number(self) -> int:
        """Return a number that no match had yet."""
        return self._archive.next_number()

    def seat(
        self, number: int, position: Position, players: Sequence[Player], control: TimeControl, move_limit: int
    ) -> Match:
        """Begin a match between two who are logged in and in none; raises OSError where its record cannot be begun."""
        started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        names = (players[0].name, players[1].name)
        lag = self.settings.lag_allowance
        header = Header(number, position, names, control, move_limit, self.server, started, lag)
        tokens = (secrets.token_hex(16), secrets.token_hex(16))
        keys = Keys.of(*tokens)
        journal, match = self._archive.begin(number, keys, header.text()), None
        try:
            match = Match(referee.begin(header), keys, journal, self._around)
            match.names = (players[0].key, players[1].key)
            match.announce(players, tokens)
        except Exception:
            journal.discard()
            if match is not None:
                match.suspend()
            raise
        self.matches[number] = match
        self.tally.started += 1
        for side, session in enumerate(players):
            session.match, session.side = match, side
        return match

    def take_up(self, state: State, keys: Keys, journal: Journal, heard: tuple[bool, bool]) -> None:
        """Go on with a match that was running when the last server died, and wait for its players.

        ``heard`` tells who is known to have been told of it: only their names are kept for them.
        """
        match = Match(state, keys, journal, self._around, state.sent)
        match.heard = list(heard)
        self.matches[match.number] = match
        self.tally.started += 1

    def gather(self) -> None:
        """Let those who wait to be paired, and are wanted for a contest that was opened just now, wait for that."""
        for seek in self._lobby.seeks:
            try:
                wanted = self.desk.offers(self.sessions[seek.name.lower()], seek)
            except ProtocolError:  # what it seeks is not played there
                continue
            if wanted:
                self._lobby = lobby.remove(self._lobby, seek.name)

    def suspend(self, match: Match) -> None:
        """Leave a running match as it is, for the next server to go on with."""
        players = [player for player in self._present if player.match is match and player.side is not None]
        match.suspend()
        for player in players:
            player.close("suspended", f"the server stops; come back to match {match.number} when it is there again")
        del self.matches[match.number]
        self.tally.results[SUSPENDED] += 1

    def take_in(self, number: int, text: str) -> None:
        """Keep the record of a match that was played elsewhere; raises OSError. May be called in another thread."""
        self._archive.take_in(number, text)

    def past(self, number: int) -> tuple[State, tuple[bool, bool]] | None:
        """Return a match that has ended, and who had no connection then; None where there is no true record of it."""
        try:
            text = self._archive.read(number)
        except OSError as error:
            log.error("a record cannot be read", match=number, error=repr(str(error)))
            return None
        state = None if text is None else finished(text)
        return None if text is None or state is None else (state, record.verify(text).gone)

    def waits(self, player: Player) -> bool:
        """Tell whether a player is still there, and in no match."""
        return player in self._present and player.match is None

    def _ended(self, match: Match) -> None:
        self.matches.pop(match.number, None)
        self.recent.append(match)
        self.desk.ended(match)
        self.tally.ended(match.state, match.now())

    def _cancel(self, player: Player, _message: m.Cancel, _arrived: int) -> None:
        self._lobby = lobby.remove(self._lobby, player.name)
        self.desk.remove(player)
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
        player.reply(referee.board(player.match.state if player.side is not None else player.match.public))

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
        lines = [match.line() for match in (*self.recent, *self.matches.values())]
        player.reply(m.Matches(m.Block(tuple(lines))))

    def _watch(self, player: Player, message: m.Watch, _arrived: int) -> None:
        match = self.find(message.match)
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
        try:
            text = self._archive.read(message.match)
        except OSError as error:
            log.error("a record cannot be read", match=message.match, error=repr(str(error)))
            sentence = f"the record of match {message.match} cannot be read"
            raise ProtocolError(Code.SERVER_FAULT, sentence) from None
        if text is None:
            running = " yet: it is being played" if message.match in self.matches else ""
            raise ProtocolError(Code.UNKNOWN_MATCH, f"there is no record of match {message.match}{running}")
        player.reply(m.Record(message.match, m.Block(tuple(text.splitlines()))))

    def _ping(self, player: Player, message: m.Ping, _arrived: int) -> None:
        player.reply(m.Pong(message.text))

    def _echo(self, player: Player, message: m.Echo, arrived: int) -> None:
        if player.match is not None and player.side is not None:
            player.match.echoed(player.side, message.text, arrived)

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
