"""Requests of clients: each is carried out at once, finished in the background, or refused."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from engine.games.catalogue import GAMES, unknown_game
from engine.games.interface import Game, Termination
from engine.match import referee
from engine.wire import messages as m
from engine.wire.coding import encode, usage
from engine.wire.ends import REFUSED_LINE, SessionState
from engine.wire.fields import read_options, write_options
from engine.wire.words import ANY, LADDER, NAME_PATTERN, NAME_RULE, without_folders
from server.arena import matchmaking
from server.arena.arena import Arena
from server.arena.lobby import Player
from server.config import tokens
from server.config.settings import MAX_BUDGET, MIN_BUDGET, REQUESTS_PER_TURN
from server.match.match import Match
from server.match.match_messages import SteppedAnswer, list_matches, list_moves, send_match
from server.ops.logs import log
from server.storage.player_logs import LogRequest, read_log
from server.storage.record_store import RecordStore

PURPOSES: dict[type, str] = {
    m.Login: "say who you are",
    m.Resume: "come back to a match after a lost connection, in place of LOGIN",
    m.Seek: "wait to be paired",
    m.Cancel: "stop waiting to be paired",
    m.Ready: "initialisation is done; stops the clock until the first turn",
    m.Move: "play",
    m.Note: "say what you think of the game, for its record; never a reason to lose",
    m.Resign: "give up the match",
    m.Crashed: "give up the match because your program has failed; the sentence says how",
    m.Stderr: "add a line to your log of the match, like a line of your program on stderr",
    m.AskBoard: "ask for the position",
    m.AskMoves: "ask for the legal moves, on your turn",
    m.List: "ask for the matches",
    m.Watch: "follow a match from its beginning",
    m.Unwatch: "stop watching",
    m.AskRecord: "ask for the record of a finished match",
    m.AskLog: "ask for your log of a finished match: the stderr output of your program",
    m.Ping: "ask for an answer",
    m.Echo: "answer the server's PING",
    m.AskHelp: "ask for the commands",
    m.Quit: "say goodbye",
    m.Organise: "be an organiser of this server, in place of LOGIN",
    m.Annul: "as an organiser, end a running match without a result",
    m.Dismiss: "as an organiser, disconnect a player",
}
"""The lines of HELP. They are data: docstrings are gone under ``python -OO``."""


class BackgroundAnswer(NamedTuple):
    """The unfinished part of a request. The session's next request waits for it."""

    wait: Callable[[], Awaitable[Any]]
    """Computes the result; may raise `engine.wire.messages.ProtocolError`."""
    then: Callable[[Any], None]
    """Sends the answer for a result, unless the session was closed meanwhile; may raise the same error."""
    worked: Callable[[], int] = lambda: 0
    """Returns the processor time spent in the event loop's thread, in microseconds."""


class Requests:
    """Carries out the requests of all sessions."""

    def __init__(self, arena: Arena) -> None:
        """Take the arena."""
        self._arena = arena
        self._handlers: dict[type, Callable[[Player, m.Message, int], BackgroundAnswer | None]] = {
            m.Login: self._login,
            m.Resume: self._resume,
            m.Seek: self._seek,
            m.Cancel: self._cancel,
            m.Ready: self._ready,
            m.Note: self._note,
            m.Resign: self._resign,
            m.Crashed: self._crashed,
            m.Stderr: self._stderr,
            m.AskBoard: self._board,
            m.AskMoves: self._moves,
            m.List: self._list,
            m.Watch: self._watch,
            m.Unwatch: self._unwatch,
            m.AskRecord: self._record,
            m.AskLog: self._log,
            m.Ping: lambda player, message, _: player.reply(m.Pong(message.text)),
            m.Echo: self._echo,
            m.AskHelp: self._help,
            m.Quit: lambda player, _message, _: player.close("quit", "goodbye"),
            m.Organise: self._organise,
            m.Annul: self._annul,
            m.Dismiss: self._dismiss,
        }

    def answer(self, player: Player, message: m.Message, arrived: int) -> BackgroundAnswer | None:
        """Carry out a request; return its unfinished part. Raises `ProtocolError`, and then nothing has changed."""
        return self._handlers[type(message)](player, message, arrived)

    def _login(self, player: Player, message: m.Login, _arrived: int) -> None:
        if not re.fullmatch(NAME_PATTERN, message.name):
            raise m.ProtocolError(m.Code.BAD_NAME, f"a name is {NAME_RULE}; not {message.name!r}")
        if player.seat_token and message.token != player.seat_token:
            raise m.ProtocolError(
                m.Code.BAD_TOKEN,
                "a program logs in here with the name and the token of ARENA_NAME and ARENA_TOKEN in its environment: "
                "LOGIN NAME TOKEN",
            )
        key = message.name.lower()
        if (seat := self._arena.contest_players.seat_of(message.name, message.token)) is not None:
            self._arena.contest_players.entered(player, message.token)
            self._arena.log_in(player, message.name, seat)
            return
        needs_token = self._check_token(message.name, message.token)
        match, side = self._arena.find_vacant_seat(key)
        if match is not None and not match.informed[side]:
            self._arena.annul(
                match, Termination.SERVER_FAULT, f"the server died before {message.name} was told of the match"
            )
        elif match is not None:
            seconds = -(-sum(match.state.clock.milliseconds(match.now())) // 1000)
            back = f"come back to it with RESUME {match.number} TOKEN, or wait {seconds} s until its clocks are used up"
            free = "" if needs_token else self._arena.free_name(message.name)
            raise _name_taken(f"{message.name} plays in match {match.number}; {back}", free)
        name, holder = message.name, self._arena.sessions.get(key)
        if holder is not None:
            free = self._arena.free_name(name)
            if needs_token or self._arena.contest_players.is_entrant(name):
                raise m.ProtocolError(m.Code.NAME_TAKEN, f"{name} is logged in already; end that program first")
            if holder.host != player.host:
                raise _name_taken(f"somebody is logged in as {holder.name}", free)
            name = free
        self._arena.log_in(player, name, name.lower())

    def _check_token(self, name: str, token: str) -> bool:
        """Check the token of a player where one is needed; return whether it is."""
        key = name.lower()
        if (builtin_token := self._arena.builtin_tokens.get(key)) is not None:
            if not tokens.fits(tokens.hashed(builtin_token), token):
                raise _name_taken("this is the name of one of the server's own bots", self._arena.free_name(name))
            return True
        own, listed = self._arena.contest_players.token_of(key), self._arena.settings.tokens or ()
        known = own or self._arena.token_of(key)
        if known is not None and not tokens.fits(known, token):
            place = "players log in here with the token that they were given, as"
            if not own and key not in listed and self._arena.account_token(key) is not None:
                place = f"{name} belongs to an account; its owner makes the token on the page /me:"
            raise m.ProtocolError(m.Code.BAD_TOKEN, f"{place} LOGIN NAME TOKEN; for a bot: ARENA_TOKEN")
        return known is not None

    def _resume(self, player: Player, message: m.Resume, _arrived: int) -> BackgroundAnswer | None:
        match = self._arena.find_match(message.match)
        keys = match.keys if match is not None else self._arena.record_store.keys(message.match)
        side = keys.side_of(message.token) if keys is not None else None
        if side is None:
            raise _resume_refused(message.match)
        if player.seat_token and (
            match is None or match.names[side] != self._arena.contest_players.key_of(player.seat_token)
        ):
            raise m.ProtocolError(m.Code.BAD_TOKEN, "a program comes back here to its own match alone")
        if match is None:
            return BackgroundAnswer(
                partial(self._arena.read_past_match, message.match),
                partial(self._send_past_match, player, message, side),
            )
        name, key = match.header.players[side], match.names[side]
        if (before := self._arena.sessions.get(key)) is not None:
            if before.match is not match:
                raise m.ProtocolError(
                    m.Code.NAME_TAKEN, f"match {message.match} is over, and {name} is logged in again"
                )
            before.match = None  # the new connection takes the seat over
            before.close("resumed", "the match was resumed over another connection")
        self._arena.log_in(player, name, key)
        player.match, player.side = match, side
        match.resume(side, player, message.token)
        return None

    def _send_past_match(self, player: Player, message: m.Resume, side: int, state: referee.MatchState | None) -> None:
        """Send a match that ended under an earlier server to a player who resumes it."""
        if state is None:
            raise _resume_refused(message.match)
        name = state.header.players[side]
        if name.lower() in self._arena.sessions:
            raise m.ProtocolError(m.Code.NAME_TAKEN, f"match {message.match} is over, and {name} is logged in again")
        self._arena.log_in(player, name, name.lower())
        player.tell(m.Match, encode(referee.announcement(state.header, side, message.token)))
        board, moved = encode(referee.first_board(state.header)), [encode(moved) for moved in state.shown]
        send_match(player, board, state, (), moved, 0)
        player.leave()

    def _seek(self, player: Player, message: m.Seek, _arrived: int) -> BackgroundAnswer | None:
        if message.game == ANY and (over := self._arena.contest_players.finished(player)):
            player.close("over", over)
            return None
        if self._arena.stopping:
            raise m.ProtocolError(m.Code.STOPPING, "the server is shutting down and begins no new match")
        self._arena.leave_log(player)
        game = GAMES.get(message.game)
        if message.game == ANY or (message.game == LADDER and _is_program(player)):
            self._arena.contest_players.offers(player, None)
            player.reply(m.Seeking(message.game))
            self._arena.contest_players.notify_stranger(player)
            return None
        if message.game == LADDER:
            if message.options:
                raise m.ProtocolError(
                    m.Code.BAD_ARGUMENTS,
                    f"the ladder chooses game and opponent: write SEEK {LADDER} without options",
                )
            look = partial(self._arena.run_in_thread, self._arena.contest_players.why_unrated, player.name)
            return BackgroundAnswer(look, partial(self._wait_for_ladder, player))
        if game is None:
            raise m.ProtocolError(m.Code.UNKNOWN_GAME, unknown_game(message.game))
        if len(self._arena.matches) >= self._arena.settings.most_matches:
            raise m.ProtocolError(
                m.Code.TOO_MANY, f"{self._arena.settings.most_matches} matches are running; try again later"
            )
        options = read_options(game, message.options, name=player.name, least_budget=MIN_BUDGET, most_budget=MAX_BUDGET)
        kind = self._arena.builtin_kinds.get(player.key, "")
        seek = matchmaking.Seek(player.name, game.name, options, player.key, kind)
        board = game.name, game.default_parameters if options.parameters is None else options.parameters
        if board in self._arena.prepared_boards:
            self._wait_for_match(player, seek, game)
            return None
        return BackgroundAnswer(
            partial(self._arena.prepare_board, *board), lambda _: self._wait_for_match(player, seek, game)
        )

    def _wait_for_ladder(self, player: Player, why_not: str) -> None:
        """Let a player wait for games of the ladder, unless something is against it."""
        if self._arena.stopping:  # while that was looked up
            raise m.ProtocolError(m.Code.STOPPING, "the server is shutting down and begins no new match")
        if why_not:
            raise m.ProtocolError(m.Code.BAD_ARGUMENTS, why_not)
        self._arena.contest_players.offers(player, None, rated=True)
        player.reply(m.Seeking(LADDER))

    def _wait_for_match(self, player: Player, seek: matchmaking.Seek, game: Game) -> None:
        """Add the seek of a player, or start a match with a player who fits."""
        if self._arena.stopping:  # while the board was prepared
            raise m.ProtocolError(m.Code.STOPPING, "the server is shutting down and begins no new match")
        for_contest = self._arena.contest_players.offers(player, seek)
        player.reply(m.Seeking(game.name, m.Text(write_options(game, seek.options))))
        if for_contest:
            return
        if (pairing := self._arena.lobby.add(seek)) is None and seek.options.opponent is not None:
            self._arena.opponent_notices.add(player, seek.options.opponent)
            if unknown := self._arena.unknown_opponent(player, seek.options.opponent):
                player.reply(m.Notice(m.Code.UNKNOWN_PLAYER, m.Text(unknown)))
        if pairing is not None:
            try:
                self._arena.begin_paired_match(pairing)
            except Exception as error:
                log.error("match_start_failed", exc_info=error)
                fault = "write records" if isinstance(error, OSError) else "begin this match"
                for one in pairing:
                    session = self._arena.sessions[one.key]
                    self._arena.opponent_notices.remove(session)
                    session.reply(m.Cancelled())
                    session.reply(m.Error(m.Code.SERVER_FAULT, m.Text(f"the server cannot {fault} now")))

    def _cancel(self, player: Player, _message: m.Cancel, _arrived: int) -> None:
        self._arena.cancel_seek(player)
        self._arena.contest_players.remove(player)
        player.reply(m.Cancelled())

    def _ready(self, player: Player, _message: m.Ready, arrived: int) -> None:
        match, side = _seat_of(player)
        match.ready(side, arrived)

    def _note(self, player: Player, message: m.Note, _arrived: int) -> None:
        if player.match is not None and player.side is not None:  # else it comes after the end of its match
            player.match.note(player.side, message.note)

    def _resign(self, player: Player, _message: m.Resign, arrived: int) -> None:
        match, side = _seat_of(player)
        match.resign(side, arrived)

    def _crashed(self, player: Player, message: m.Crashed, arrived: int) -> None:
        match, side = _seat_of(player)
        match.report_crash(side, without_folders(message.sentence), arrived)

    def _stderr(self, player: Player, message: m.Stderr, _arrived: int) -> None:
        number = player.match.number if player.match is not None and player.side is not None else player.last_match
        line = message.line.removeprefix("|").removeprefix(" ")
        if number and (refused := REFUSED_LINE.fullmatch(line)):  # a bridge has refused a line of its program
            self._arena.refuse(player, refused[1])
        elif number and not _is_program(player):  # what a program writes on stderr is kept anyway
            self._arena.sent_logs.add(number, player.name, partial(self._arena.awaited_ply, number), line)

    def _board(self, player: Player, _message: m.AskBoard, _arrived: int) -> None:
        assert player.match is not None
        state = player.match.public
        if player.side is not None:
            asked, state = player.match.boards_asked, player.match.state
            asked[player.side] += 1
            _check_request_count("BOARD", asked[player.side])
        player.reply(m.board_of(state.history.position.text()))

    def _moves(self, player: Player, _message: m.AskMoves, _arrived: int) -> BackgroundAnswer:
        match, _ = _seat_of(player)
        match.moves_asked += 1
        _check_request_count("MOVES", match.moves_asked)
        history = match.state.history
        listing = SteppedAnswer(list_moves(history.position))
        return BackgroundAnswer(listing.finish, partial(_answer_moves, player, match, history.plies), listing.worked)

    def _list(self, player: Player, _message: m.List, _arrived: int) -> BackgroundAnswer:
        lines = [match.line for match in (*self._arena.recent, *self._arena.matches.values())]
        listing = SteppedAnswer(list_matches(lines))
        return BackgroundAnswer(listing.finish, partial(player.tell, m.Matches), listing.worked)

    def _watch(self, player: Player, message: m.Watch, _arrived: int) -> None:
        if (match := self._arena.find_match(message.match)) is None:
            raise m.ProtocolError(
                m.Code.UNKNOWN_MATCH,
                f"match {message.match} is not running, nor has it just ended; see LIST, or RECORD for older ones",
            )
        player.match, player.side = match, None
        match.watch(player)

    def _unwatch(self, player: Player, _message: m.Unwatch, _arrived: int) -> None:
        if player.match is not None:
            player.match.watchers.pop(player, None)
            player.match = None
        player.reply(m.Unwatched())

    def _record(self, player: Player, message: m.AskRecord, _arrived: int) -> BackgroundAnswer:
        return self._read_file(
            player, m.Record, message.match, partial(_record_answer, self._arena.record_store, message.match)
        )

    def _log(self, player: Player, message: m.AskLog, _arrived: int) -> BackgroundAnswer:
        name = "" if _is_program(player) else player.name
        asked = LogRequest(message.match, message.token, name, player.state is SessionState.ORGANISING)
        return self._read_file(player, m.Log, message.match, partial(_log_answer, self._arena, asked))

    def _read_file(self, player: Player, kind: type, number: int, read: Callable[[], bytes]) -> BackgroundAnswer:
        """Answer with a file of a finished match, which another thread reads and encodes."""
        word = kind.__name__.lower()
        if number in self._arena.matches:
            raise m.ProtocolError(m.Code.UNKNOWN_MATCH, f"there is no {word} of match {number} yet: it is being played")

        async def wait() -> bytes:
            try:
                answer: bytes = await self._arena.run_in_thread(read)
            except OSError as error:
                log.error("match_file_read_failed", file=word, match=number, error=repr(str(error)))
                raise m.ProtocolError(m.Code.SERVER_FAULT, f"the {word} of match {number} cannot be read") from None
            return answer

        return BackgroundAnswer(wait, partial(player.tell, kind))

    def _echo(self, player: Player, message: m.Echo, arrived: int) -> None:
        if player.match is not None and player.side is not None:
            player.match.echoed(player.side, message.text, arrived)

    def _help(self, player: Player, _message: m.AskHelp, _arrived: int) -> None:
        player.reply(m.Help(m.Block(tuple(f"{usage(cls)}: {PURPOSES[cls]}." for cls in m.REQUESTS.values()))))

    def _organise(self, player: Player, message: m.Organise, _arrived: int) -> None:
        if not tokens.fits(self._arena.settings.organiser, message.token):
            raise m.ProtocolError(m.Code.BAD_TOKEN, "this is not the token of the organiser")
        player.reply(m.Organising())
        log.info("organiser_requested", request="ORGANISE")

    def _annul(self, player: Player, message: m.Annul, _arrived: int) -> None:
        self._arena.annul_running(message.match, message.sentence)
        player.reply(m.Annulled(message.match))
        self._arena.organiser_done(f"annulled match {message.match}")
        log.info("organiser_requested", request="ANNUL", match=message.match, sentence=repr(message.sentence))

    def _dismiss(self, player: Player, message: m.Dismiss, _arrived: int) -> None:
        name = self._arena.dismiss(message.name, message.sentence)
        player.reply(m.Dismissed(name))
        self._arena.organiser_done(f"sent {name} away")
        log.info("organiser_requested", request="DISMISS", name=name, sentence=repr(message.sentence))


def _seat_of(player: Player) -> tuple[Match, int]:
    assert player.match is not None and player.side is not None
    return player.match, player.side


def _name_taken(sentence: str, free: str) -> m.ProtocolError:
    """Return the error for a name that is taken, with a free one; empty for none."""
    hint = f"; {free} is free: LOGIN {free}, or for a bot ARENA_NAME={free}" if free else ""
    return m.ProtocolError(m.Code.NAME_TAKEN, f"{sentence}{hint}")


def _resume_refused(number: int) -> m.ProtocolError:
    return m.ProtocolError(m.Code.BAD_TOKEN, f"match {number} is not to be resumed with this token; log in with LOGIN")


def _answer_moves(player: Player, match: Match, plies: int, answer: bytes) -> None:
    """Answer MOVES when all moves are generated, unless the turn has ended meanwhile."""
    if player.match is not match or player.state is not SessionState.THINKING or match.state.history.plies != plies:
        raise m.ProtocolError(m.Code.NOT_YOUR_TURN, "your turn was over before the legal moves were found")
    player.tell(m.Moves, answer)


def _record_answer(record_store: RecordStore, number: int) -> bytes:
    """Encode RECORD of a match; raises `ProtocolError` if there is no record, and OSError."""
    if (text := record_store.read(number)) is None:
        raise m.ProtocolError(m.Code.UNKNOWN_MATCH, f"there is no record of match {number}")
    return encode(m.Record(number, m.Block(tuple(text.splitlines()))))


def _is_program(player: Player) -> bool:
    """Tell whether a session is that of a program that the server has started for a game of a contest."""
    return player.key != player.name.lower()


def _log_answer(arena: Arena, asked: LogRequest) -> bytes:
    """Encode LOG of a match for who asks; raises `ProtocolError` and OSError."""
    lines = read_log(asked, arena.record_store, arena.settings, arena.contest_players.find_kept, arena.token_of)
    return encode(m.Log(asked.match, m.Block(lines)))


def _check_request_count(kind: str, asked: int) -> None:
    if asked > REQUESTS_PER_TURN:
        raise m.ProtocolError(
            m.Code.TOO_MANY,
            f"{kind} was asked for {REQUESTS_PER_TURN} times since the last move; wait for the next one",
        )
