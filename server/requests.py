"""What clients ask for, request by request: each is carried out at once, or refused."""

import hmac
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

from engine.catalogue import GAMES
from engine.outcome import Termination
from engine.wire import messages as m
from engine.wire.codes import Code, ProtocolError
from engine.wire.words import ANY, NAME_PATTERN
from server import lobby, referee, tokens
from server.match import Match
from server.organiser_requests import OrganiserRequests
from server.settings import LISTED_MOVES, REQUESTS_PER_TURN
from server.telling import tell_over

if TYPE_CHECKING:
    from server.hall import Hall, Player

log = structlog.get_logger()


class Requests:
    """Carries out the requests of all sessions."""

    def __init__(self, hall: "Hall") -> None:
        """Take the hall, which knows everybody and every match."""
        self._hall = hall
        self._answers: dict[type, Callable[[Player, m.Message, int], None]] = {
            m.Login: self._login,
            m.Resume: self._resume,
            m.Seek: self._seek,
            m.Cancel: self._cancel,
            m.Ready: self._ready,
            m.Move: self._move,
            m.Resign: self._resign,
            m.Crashed: self._crashed,
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
            **OrganiserRequests(hall).answers,
        }

    def answer(self, player: "Player", message: m.Message, arrived: int) -> None:
        """Do what a session asks for. Raises `ProtocolError`, after which nothing has changed."""
        self._answers[type(message)](player, message, arrived)

    def _login(self, player: "Player", message: m.Login, _arrived: int) -> None:
        if not re.fullmatch(NAME_PATTERN, message.name):
            sentence = f"a name is 1 to 32 letters, digits, and any of _ . - behind the first; not {message.name!r}"
            raise ProtocolError(Code.BAD_NAME, sentence)
        key = message.name.lower()
        seat = self._hall.desk.seat_of(message.name, message.token)
        if seat is not None:
            self._hall.desk.entered(player, message.token)
            self._hall.enter(player, message.name, seat)
            return
        self._check_token(key, message.token)
        match, side = self._hall.seated(key)
        if match is not None and not match.heard[side]:
            self._hall.annul(
                match, Termination.SERVER_FAULT, f"the server died before {message.name} was told of the match"
            )
        elif match is not None:
            sentence = f"{message.name} plays in match {match.number}; come back to it with RESUME {match.number} TOKEN"
            raise ProtocolError(Code.NAME_TAKEN, sentence)
        if key in self._hall.sessions:
            raise ProtocolError(Code.NAME_TAKEN, f"somebody is logged in as {self._hall.sessions[key].name}")
        self._hall.enter(player, message.name, key)

    def _check_token(self, key: str, token: str) -> None:
        house = self._hall.house_tokens.get(key)
        if house is not None:
            if not _same(house, token):
                raise ProtocolError(Code.NAME_TAKEN, "this is the name of one of the server's own bots")
            return
        known = self._hall.desk.token_of(key)
        if not known:
            if self._hall.settings.tokens is None:
                return
            known = self._hall.settings.tokens.get(key, "")
        if not tokens.fits(known, token):
            raise ProtocolError(
                Code.BAD_TOKEN, "players log in here with the token that they were given: LOGIN NAME TOKEN"
            )

    def _resume(self, player: "Player", message: m.Resume, _arrived: int) -> None:
        match = self._hall.find(message.match)
        keys = match.keys if match is not None else self._hall.archive.keys(message.match)
        side = keys.side_of(message.token) if keys is not None else None
        past = None if match is not None else self._hall.past(message.match)
        state = match.state if match is not None else past and past[0]
        if side is None or state is None:
            sentence = f"match {message.match} is not to be resumed with this token; log in with LOGIN"
            raise ProtocolError(Code.BAD_TOKEN, sentence)
        name = state.header.players[side]
        key = match.names[side] if match is not None else name.lower()
        before = self._hall.sessions.get(key)
        if before is not None:
            if match is None or before.match is not match:
                raise ProtocolError(Code.NAME_TAKEN, f"match {message.match} is over, and {name} is logged in again")
            before.match = None  # the seat is taken over: the old connection leaves without a trace
            before.close("resumed", "the match was resumed over another connection")
        self._hall.enter(player, name, key)
        player.match, player.side = match, side
        if match is not None:
            match.resume(side, player, message.token)
        else:
            tell_over(player, state, side, message.token)

    def _seek(self, player: "Player", message: m.Seek, _arrived: int) -> None:
        if self._hall.stopping:
            raise ProtocolError(Code.STOPPING, "the server is shutting down and begins no new match")
        game = GAMES.get(message.game)
        if message.game == ANY:
            self._hall.desk.offers(player, None)
            player.reply(m.Seeking(ANY))
            return
        if game is None:
            sentence = f"there is no game {message.game!r} here; there is {', '.join(GAMES)}"
            raise ProtocolError(Code.UNKNOWN_GAME, sentence)
        if len(self._hall.matches) >= self._hall.settings.most_matches:
            raise ProtocolError(
                Code.TOO_MANY, f"{self._hall.settings.most_matches} matches are running; try again later"
            )
        seek = lobby.read_seek(player.name, game, message.options, self._hall.settings)
        kind = self._hall.house_kinds.get(player.key, "") if player.house else ""
        seek = seek._replace(house=player.house, key=player.key, kind=kind)
        for_contest = self._hall.desk.offers(player, seek)
        player.reply(m.Seeking(message.game, m.Text(lobby.describe(seek, game))))
        if for_contest:
            return
        self._hall.lobby, pairing = lobby.add(self._hall.lobby, seek)
        if pairing is None and seek.opponent is not None:
            self._hall.awaiting.add(player, seek.opponent)
        if pairing is not None:
            try:
                self._hall.begin(pairing)
            except Exception as error:
                log.error("no match can be begun", exc_info=error)
                fault = "write records" if isinstance(error, OSError) else "begin this match"
                for key in pairing.keys:
                    session = self._hall.sessions[key]
                    self._hall.awaiting.remove(session)
                    session.reply(m.Cancelled())
                    session.reply(m.Error(Code.SERVER_FAULT, m.Text(f"the server cannot {fault} now")))

    def _cancel(self, player: "Player", _message: m.Cancel, _arrived: int) -> None:
        self._hall.wait_no_more(player)
        self._hall.desk.remove(player)
        player.reply(m.Cancelled())

    def _ready(self, player: "Player", _message: m.Ready, arrived: int) -> None:
        match, side = _seat(player)
        match.ready(side, arrived)

    def _move(self, player: "Player", message: m.Move, arrived: int) -> None:
        match, side = _seat(player)
        match.move(side, message.move, arrived)

    def _resign(self, player: "Player", _message: m.Resign, arrived: int) -> None:
        match, side = _seat(player)
        match.resign(side, arrived)

    def _crashed(self, player: "Player", message: m.Crashed, arrived: int) -> None:
        match, side = _seat(player)
        match.says_crashed(side, message.sentence, arrived)

    def _board(self, player: "Player", _message: m.AskBoard, _arrived: int) -> None:
        assert player.match is not None
        if player.side is not None:
            asked = player.match.boards_asked
            asked[player.side] += 1
            _limit("BOARD", asked[player.side])
        player.reply(referee.board(player.match.state if player.side is not None else player.match.public))

    def _moves(self, player: "Player", _message: m.AskMoves, _arrived: int) -> None:
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

    def _list(self, player: "Player", _message: m.List, _arrived: int) -> None:
        lines = [match.line() for match in (*self._hall.recent, *self._hall.matches.values())]
        player.reply(m.Matches(m.Block(tuple(lines))))

    def _watch(self, player: "Player", message: m.Watch, _arrived: int) -> None:
        match = self._hall.find(message.match)
        if match is None:
            sentence = (
                f"match {message.match} is not running, nor has it just ended; see LIST, or RECORD for older ones"
            )
            raise ProtocolError(Code.UNKNOWN_MATCH, sentence)
        player.match, player.side = match, None
        match.watch(player)

    def _unwatch(self, player: "Player", _message: m.Unwatch, _arrived: int) -> None:
        if player.match is not None:
            player.match.watchers.pop(player, None)
            player.match = None
        player.reply(m.Unwatched())

    def _record(self, player: "Player", message: m.AskRecord, _arrived: int) -> None:
        try:
            text = self._hall.archive.read(message.match)
        except OSError as error:
            log.error("a record cannot be read", match=message.match, error=repr(str(error)))
            sentence = f"the record of match {message.match} cannot be read"
            raise ProtocolError(Code.SERVER_FAULT, sentence) from None
        if text is None:
            running = " yet: it is being played" if message.match in self._hall.matches else ""
            raise ProtocolError(Code.UNKNOWN_MATCH, f"there is no record of match {message.match}{running}")
        player.reply(m.Record(message.match, m.Block(tuple(text.splitlines()))))

    def _ping(self, player: "Player", message: m.Ping, _arrived: int) -> None:
        player.reply(m.Pong(message.text))

    def _echo(self, player: "Player", message: m.Echo, arrived: int) -> None:
        if player.match is not None and player.side is not None:
            player.match.echoed(player.side, message.text, arrived)

    def _help(self, player: "Player", _message: m.AskHelp, _arrived: int) -> None:
        lines = [(cls.__doc__ or "").splitlines()[0].replace("``", "") for cls in m.REQUESTS.values()]
        player.reply(m.Help(m.Block(tuple(lines))))

    def _quit(self, player: "Player", _message: m.Quit, _arrived: int) -> None:
        player.close("quit", "goodbye")


def _seat(player: "Player") -> tuple[Match, int]:
    assert player.match is not None and player.side is not None
    return player.match, player.side


def _same(secret: str, given: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(secret.encode(), given.encode())


def _limit(kind: str, asked: int) -> None:
    if asked > REQUESTS_PER_TURN:
        sentence = f"{kind} was asked for {REQUESTS_PER_TURN} times since the last move; wait for the next one"
        raise ProtocolError(Code.TOO_MANY, sentence)
