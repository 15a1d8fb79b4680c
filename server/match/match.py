"""A running match: carries out the effects that the referee returns."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from engine.games.interface import Outcome, Termination
from engine.match import referee
from engine.match.clock import Clock, Stall
from engine.match.record import RecordedNote
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.words import word_of
from server.match.match_messages import (
    PlayerSeat,
    ShownMatch,
    Spectator,
    changes,
    recent_states,
    send_match,
)
from server.net.connection import Poller
from server.net.timing import FlagTimer, LatencyProbe, StallLog
from server.ops.logs import log
from server.storage.record_store import Keys, MatchJournal


class MatchContext(NamedTuple):
    """Objects that all matches of a server share."""

    clock: Callable[[], int]
    """Counts microseconds."""
    flags: FlagTimer
    poller: Poller
    on_end: Callable[["Match"], None]
    on_fault: Callable[["Match", Exception], None]
    stalls: StallLog
    on_move: Callable[[int], None]
    """Called with the microseconds from the arrival of each MOVE until its answers were sent."""
    delay: int = 0
    """Number of moves by which spectators are behind."""
    live_notes: bool = False
    """Whether spectators see notes during the match; else when it is over."""


class Match:
    """A running match. Its methods are called by sessions and by the flag timer, and never wait."""

    def __init__(
        self, state: referee.MatchState, keys: Keys, journal: MatchJournal, context: MatchContext, now: int = 0
    ) -> None:
        """Take the state of a match, and the journal that has been written up to it.

        ``keys`` are the hashes of the tokens for RESUME; ``now`` is the stamp of this moment in the match.
        """
        self.state = state
        self.header = state.header
        self.number = state.header.match
        self.keys = keys
        self.names: tuple[str, str] = (state.header.players[0].lower(), state.header.players[1].lower())
        """Session keys of the players."""
        self.players: list[PlayerSeat | None] = [None, None]
        self.fault_cause = ""
        """Resource that the machine lacked when the match was annulled; empty for any other cause."""
        self.informed = [True, True]
        """Whether each side is known to have received MATCH; after a crash of the server that may be unknown."""
        self.watchers: dict[Spectator, None] = {}
        self.boards_asked = [0, 0]
        self.moves_asked = 0
        self._context = context
        self._past = deque(recent_states(state, context.delay) if context.delay else (), maxlen=context.delay + 1)
        """With a delay, the states from the one that spectators see up to the present one."""
        self._board = encode(referee.first_board(state.header))
        self._moved = [encode(moved) for moved in state.shown]
        self._view = ShownMatch()
        """The part of the match that its spectators have been shown."""
        self._latency_probes = (LatencyProbe(), LatencyProbe())
        self._journal = journal
        self._clock = context.clock
        self._stalls = context.stalls
        self._last_seen_stall = context.stalls.last
        """Stamp of the last stall that the clocks of this match were credited for."""
        self.due = math.inf
        """Stamp of the server's clock at which to call `flag`: a flag falls, or waiting for players is over."""
        self._announced = True
        """Whether MATCH was sent to both players: until then the time of the match is 0, and no clock runs."""
        self._start: list[Callable[[], None]] = []
        """Functions that start clocks when the messages of this pass are sent."""
        self._played: int | None = None
        """Arrival stamp of the last move, until its answers are sent."""
        self._began = self._clock() - now
        self._watch_flags()

    def announce(self, seats: Sequence[PlayerSeat], tokens: Sequence[str]) -> None:
        """Seat both players and send them MATCH and the board. Both clocks start when that is sent."""
        self._announced = False
        for side, (seat, token) in enumerate(zip(seats, tokens, strict=True)):
            self.players[side] = seat
            seat.tell(m.Match, encode(referee.announcement(self.header, side, token)))
            seat.tell(m.Board, self._board)
        self._start_when_sent(self._start_initialisation)

    @property
    def awaited_ply(self) -> int:
        """Return the number of the move that is waited for, from 1; 0 before both players are ready."""
        return self.state.history.plies + 1 if self.state.ready == (True, True) else 0

    @property
    def public(self) -> referee.MatchState:
        """Return the state that spectators may see now."""
        return self._past[0] if self._past and self.state.outcome is None else self.state

    @property
    def public_notes(self) -> tuple[RecordedNote, ...]:
        """Return the notes that spectators may see now: all when the match is over.

        Before that, if any: up to the first one about a move that spectators have not seen, or written after one.
        """
        if self.state.outcome is not None:
            return self.state.notes
        if not self._context.live_notes:
            return ()
        plies = self.public.history.plies
        return tuple(takewhile(lambda note: max(note.ply, note.plies) <= plies, self.state.notes))

    def now(self) -> int:
        """Return the time of the match: microseconds since MATCH was sent to both players."""
        return self._clock() - self._began if self._announced else 0

    def resume(self, side: int, seat: PlayerSeat, token: str) -> None:
        """Seat a player who resumes the match, and send all that was missed; also when the match is over."""
        seat.tell(m.Match, encode(referee.announcement(self.header, side, token)))
        if self.state.outcome is not None:
            send_match(seat, self._board, self.state, (), self._moved, 0)
            seat.leave()
            return
        now = self._credit_stalls(self.now())
        send_match(seat, self._board, self.state, (), self._moved, now)
        absent, self.players[side] = self.players[side] is None, seat
        self.informed[side] = True
        if self.state.playing and self.state.history.position.turn == side and not self.waits_for(side):
            seat.tell(m.Turn, encode(referee.turn_message(self.state, now)))
        if absent:
            self._carry_out(*referee.reconnect(self.state, side, now))
        if self.players[1 - side] is None:
            seat.tell(m.Opponent, encode(m.Opponent("gone")))

    def waits_for(self, side: int) -> bool:
        """Tell whether the clock of a side is stopped until the player returns after a restart of the server."""
        return self.state.awaited is not None and self.state.awaited.sides[side]

    def ready(self, side: int, arrived: int) -> None:
        """Carry out READY of a player."""
        now = self._stamp(side, arrived)
        self._carry_out(*referee.ready(self.state, side, now))
        self._probe(side)

    def play(self, side: int, text: str, arrived: int) -> None:
        """Carry out MOVE of the player on turn; ``arrived`` is the arrival stamp on the server's clock."""
        if self.state.clock.since[side] is None:  # it came in the same pass as the move before it, ahead of TURN
            self.state = referee.start_turn(self.state, self.now())
        now = self._stamp(side, arrived)
        if self.header.lag_allowance:
            self._carry_out(*referee.allow_lag(self.state, 1 - side, self._latency_probes[1 - side].measured))
        self._played = arrived
        self._carry_out(*referee.move(self.state, side, text, now))
        if not self._start:  # the match is over
            self._context.poller.start_clocks(self.start_clocks)
        if self.header.lag_allowance:
            self._probe(side)

    def note(self, side: int, content: str) -> None:
        """Carry out NOTE of a player; raises `ProtocolError` where it cannot be recorded, and then nothing changes."""
        self._carry_out(*referee.note(self.state, side, content))

    def refuse(self, side: int, refusal: str) -> None:
        """Take note of a line of a player that was refused, for the sentence of a loss on time."""
        self.state = referee.refuse(self.state, side, refusal)

    def echoed(self, side: int, text: str, arrived: int) -> None:
        """Take the answer to a latency probe of a player."""
        self._latency_probes[side].answered(text, arrived)

    def resign(self, side: int, arrived: int) -> None:
        """Carry out RESIGN of a player; ``arrived`` is the arrival stamp on the server's clock."""
        now = self._final_stamp(arrived)  # first: it credits stalls to the state
        self._carry_out(*referee.resign(self.state, side, now))

    def report_crash(self, side: int, sentence: str, arrived: int) -> None:
        """Carry out CRASHED of a player, whose program has failed; the sentence is the player's own."""
        now = self._final_stamp(arrived)
        self._carry_out(*referee.report_crash(self.state, side, sentence, now))

    def _final_stamp(self, arrived: int) -> int:
        """Return the stamp of a message that ends the match: in time if it may have arrived in time."""
        now = self._credit_stalls(
            max(arrived - self._began, self.state.sent, self.state.stamp) if self._announced else 0
        )
        late = any(self.state.clock.fallen(now))
        return self._earliest_arrival(now, max(self.state.sent, self.state.stamp)) if late else now

    def disconnect(self, side: int) -> None:
        """Note that a player has lost its connection."""
        self.players[side] = None
        if self.state.outcome is None:
            now = self._credit_stalls(self.now())
            self._carry_out(*referee.disconnect(self.state, side, now))

    def annul(self, termination: Termination, sentence: str) -> None:
        """End the match without a result."""
        if self.state.outcome is None:
            now = self._credit_stalls(self.now())
            self._carry_out(*referee.end(self.state, Outcome(None, termination, sentence), now))

    def adjudicate(self, winner: int | None, sentence: str) -> None:
        """End the game with the proven result of its position."""
        now = self._credit_stalls(self.now())
        self._carry_out(*referee.end(self.state, Outcome(winner, Termination.ADJUDICATED, sentence), now))

    def end_crashed(self, side: int, sentence: str, termination: Termination = Termination.CRASHED) -> None:
        """End the match because the program of a side exited or exceeded a limit."""
        now = self._credit_stalls(self.now())
        outcome = referee.program_ended(self.header, side, sentence, termination)
        self._carry_out(*referee.end(self.state, outcome, now))

    def abandon(self, termination: Termination, sentence: str) -> None:
        """End the match without a result, record or referee, because one of them has failed."""
        clock = Clock(self.state.clock.left)
        self.state = replace(self.state, clock=clock, awaited=None, outcome=Outcome(None, termination, sentence))
        data = encode(m.Result(self.number, "annulled", str(termination), *clock.milliseconds(0), m.Text(sentence)))
        for seat in self._seats():
            seat.tell(m.Result, data)
        self._journal.abandon()
        self._leave()

    def suspend(self) -> None:
        """Suspend the match: release all sessions, and leave the journal as it is."""
        with suppress(OSError):
            self._journal.close()
        self._release_seats()

    def watch(self, seat: Spectator) -> None:
        """Add a spectator, and send the match from its start."""
        header, position = self.header, self.header.position
        about = m.Watching(
            self.number,
            position.game.name,
            word_of(position.parameters),
            *header.players,
            *header.control.milliseconds,
            header.move_limit,
        )
        seat.tell(m.Watching, encode(about))
        send_match(seat, self._board, self.public, self.public_notes, self._moved, self.now())
        if self.state.outcome is None:
            self.follow(seat)
        else:
            seat.leave()

    def follow(self, seat: Spectator) -> None:
        """Add a spectator of a running match who has seen it so far."""
        self.watchers[seat] = None
        self._view = ShownMatch.of(self.public, self.public_notes)

    def line(self) -> str:
        """Return the line of the match in LIST, with the number of moves that spectators have seen."""
        header, outcome, plies = self.header, self.state.outcome, self.public.history.plies
        position, times = header.position, " ".join(map(str, header.control.milliseconds))
        head = f"{self.number} {position.game.name} {word_of(position.parameters)} {' '.join(header.players)} {times}"
        if outcome is not None:
            return f"{head} {plies} {outcome.result(self.state.sides)} {outcome.reason}"
        return f"{head} {plies} {'running' if self.state.playing else 'preparing'}"

    def flag(self, now: int) -> None:
        """Check at a stamp of the server whether a flag has fallen, or waiting for players is over. Raises nothing."""
        try:
            now = self._credit_stalls(now - self._began)
            for side, fallen in enumerate(self.state.clock.fallen(now)):
                if fallen and (seat := self.players[side]) is not None:
                    seat.report_unfinished()
            self._carry_out(*referee.flag(self.state, now))
        except Exception as error:
            self.failed(error)

    def failed(self, error: Exception) -> None:
        """Handle an error of a task that is no session's."""
        self._context.on_fault(self, error)

    def _probe(self, side: int) -> None:
        """Send a latency probe to a player whose clock is stopped, if there is a lag allowance."""
        seat, lag = self.players[side], self._latency_probes[side]
        if self.header.lag_allowance and seat is not None and self.state.outcome is None:
            seat.tell(m.Probe, encode(m.Probe(m.Text(lag.ask()))))
            self._start_when_sent(lambda: lag.sent(self._clock()))

    def _credit_stalls(self, now: int) -> int:
        """Credit the clocks for stalls of the server that began before a stamp; return the stamp."""
        if self._stalls.last > self._last_seen_stall:
            for stall in self._stalls.between(self._last_seen_stall, now + self._began):
                self._last_seen_stall = stall.begin
                self._carry_out(*referee.credit_stall(self.state, Stall(*(at - self._began for at in stall))))
        return now

    def _stamp(self, side: int, arrived: int) -> int:
        """Return the stamp of a message of a side; if that is too late, the earliest at which it may have arrived."""
        now = self._credit_stalls(max(self.state.sent, arrived - self._began) if self._announced else 0)
        return self._earliest_arrival(now, self.state.sent) if self.state.clock.used_up(side, now) else now

    def _earliest_arrival(self, now: int, after: int) -> int:
        """Return the earliest possible arrival stamp of a message that arrived after another stamp."""
        earliest = self._stalls.previous_look - self._began
        return earliest if after <= earliest < now else now

    def _carry_out(self, state: referee.MatchState, effects: list[referee.Effect]) -> None:
        """Carry out effects of the referee: write the journal, then send messages, to players before spectators."""
        if lines := [effect.line for effect in effects if isinstance(effect, referee.WriteRecord)]:
            self._journal.write(lines[0] if len(lines) == 1 else "".join(lines))
        finished, self.state = state.outcome is not None and self.state.outcome is None, state
        turn_given = False
        try:
            for effect in effects:
                if isinstance(effect, referee.Show):
                    kind, data = type(effect.message), encode(effect.message)
                    if kind is m.Moved:
                        self._moved.append(data)
                    for seat in self.players:
                        if seat is not None:
                            seat.tell(kind, data)
                elif isinstance(effect, referee.GiveTurn):
                    turn_given = True
                    self._tell(effect.side, referee.turn_message(state, 0))  # no clock runs yet
                elif isinstance(effect, referee.Tell):
                    self._tell(effect.side, effect.message)
                elif isinstance(effect, referee.GiveTime):
                    self._start_when_sent(partial(self._restart_initialisation, effect.side))
            if self._past:
                self._keep_past(state)
            if self.watchers:
                self._show_spectators()
        finally:
            if finished:
                self._end()
        if turn_given:
            self.moves_asked, self.boards_asked = 0, [0, 0]
            self._start_when_sent(self._start_turn)
        elif not finished:
            self._watch_flags()

    def _tell(self, side: int, message: m.Message) -> None:
        if (seat := self.players[side]) is not None:
            seat.tell(type(message), encode(message))

    def _keep_past(self, state: referee.MatchState) -> None:
        """Keep the state after each move, for spectators that are some moves behind."""
        before = self._past[-1]
        if state.history.plies > before.history.plies:
            self._past.append(state)
        elif state.ready != before.ready:
            self._past[-1] = state

    def _show_spectators(self) -> None:
        """Send spectators the moves and notes that they may see by now, after the players."""
        public, notes = self.public, self.public_notes
        shown = list(changes(self._view, public, notes, self._moved, self.now()))
        self._view = ShownMatch.of(public, notes)
        for watcher in list(self.watchers):
            for kind, data in shown:
                watcher.tell(kind, data)

    def _start_initialisation(self) -> None:
        """Start both clocks for initialisation, now that MATCH was sent to both players."""
        self._announced = True
        self._began = self._clock()
        self._last_seen_stall = self._stalls.last
        if self.state.outcome is None:
            self._watch_flags()

    def _start_turn(self) -> None:
        """Start the clock of the side to move, now that TURN was sent."""
        state = self.state
        if state.outcome is None and state.clock.since[state.history.position.turn] is None:
            self.state = referee.start_turn(state, self.now())
            self._watch_flags()

    def _restart_initialisation(self, side: int) -> None:
        """Restart the clock of a side that resumed during initialisation, now that it has been sent the match."""
        self._carry_out(*referee.start_initialisation(self.state, side, self.now()))

    def _start_when_sent(self, start: Callable[[], None]) -> None:
        """Call a function that starts a clock when the messages of this pass are sent."""
        self._start.append(start)
        if len(self._start) == 1:
            self._context.poller.start_clocks(self.start_clocks)

    def start_clocks(self) -> None:
        """Start the clocks that wait for the messages of this pass, which are sent now. Raises nothing."""
        starts, self._start = self._start, []
        try:
            for start in starts:
                start()
        except Exception as error:
            self.failed(error)
        if self._played is not None:
            self._context.on_move(self._clock() - self._played)
            self._played = None

    def _end(self) -> None:
        """Finish the journal, and leave the match, also if that fails."""
        try:
            self._journal.finish()
        except OSError as error:
            log.error("record_write_deferred", match=self.number, error=str(error))
        self._leave()

    def _leave(self) -> None:
        self._release_seats()
        self._context.on_end(self)

    def _release_seats(self) -> None:
        self.due = math.inf
        seats = self._seats()
        self.players, self.watchers = [None, None], {}
        for seat in seats:
            seat.leave()

    def _seats(self) -> list[Spectator]:
        return [seat for seat in (*self.players, *self.watchers) if seat is not None]

    def _watch_flags(self) -> None:
        deadline = referee.deadline(self.state) if self._announced else None
        self.due = math.inf if deadline is None else self._began + deadline
        self._context.flags.wake_at(self.due)
