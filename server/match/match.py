"""A match while it is played: carries out what the referee decides."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import structlog

from engine.clock import MICROSECONDS, Clock, Stall
from engine.games.outcome import Outcome, Termination
from engine.wire import messages as m
from engine.wire.coding import encode
from engine.wire.words import word_of
from server.match import referee
from server.match.flag_timer import FlagTimer
from server.match.match_messages import PlayersSeat, Seat, announcement, tell_everybody, watching
from server.match.move_list import MoveList
from server.match.spectator_backlog import SpectatorBacklog
from server.match.spectator_delay import Delay
from server.net.latency import LatencyProbe
from server.net.send_queue import SendQueue
from server.net.stall_monitor import StallLog
from server.storage.record_store import Keys, MatchJournal

log = structlog.get_logger()


class MatchContext(NamedTuple):
    """What all matches of a server share."""

    clock: Callable[[], int]
    """Counts microseconds."""
    flags: FlagTimer
    send_queue: SendQueue
    on_end: Callable[["Match"], None]
    on_fault: Callable[["Match", Exception], None]
    stalls: StallLog
    on_move: Callable[[int], None]
    """Is told the stamp at which a MOVE arrived, when it was dealt with."""
    delay: int = 0
    """Moves that spectators see later than the players."""


class Match:
    """A running match. Its methods are called by sessions and by the flag keeper, and never wait."""

    def __init__(
        self, state: referee.State, keys: Keys, journal: MatchJournal, around: MatchContext, now: int = 0
    ) -> None:
        """Take a match as far as it has come; the journal says as much. ``now`` is its stamp of this moment.

        ``keys`` are the hashes of what its players come back with.
        """
        self.state = state
        self.header = state.header
        self.keys = keys
        self.names: tuple[str, str] = (state.header.players[0].lower(), state.header.players[1].lower())
        """By which the players stand among the sessions."""
        self.players: list[PlayersSeat | None] = [None, None]
        self.gone = (False, False)
        """Which side had no connection when the match ended."""
        self.lacked = ""
        """What the machine lacked by which the match was annulled; empty where it was nothing of the kind."""
        self.heard = [True, True]
        """Which side is known to have been told of the match: after a crash of the server that is not sure."""
        self.watchers: dict[Seat, None] = {}
        self.boards_asked = [0, 0]
        self.moves_asked = 0
        self._delay = Delay(around.delay, state) if around.delay else None
        self._suspended = False
        self._lags = (LatencyProbe(), LatencyProbe())
        self._listing: MoveList | None = None
        self._story = SpectatorBacklog(state)
        self._public_story = self._story if self._delay is None else SpectatorBacklog(self._delay.state)
        times = " ".join(map(str, state.header.control.milliseconds))
        position = state.header.position
        self._line = (
            f"{state.header.match} {position.game.name} {word_of(position.parameters)} "
            f"{' '.join(state.header.players)} {times}"
        )
        self._journal = journal
        self._clock = around.clock
        self._flags = around.flags
        self._send_queue = around.send_queue
        self._on_end = around.on_end
        self._on_fault = around.on_fault
        self._on_move = around.on_move
        self._stalls = around.stalls
        self._stood = around.stalls.last
        """Stamp of the last stall that this match knows of."""
        self._kept: int | None = None
        self._told = True
        """Whether both players have been told of the match: until then its time stands at 0, and nobody is charged."""
        self._began = self._clock() - now
        self._watch_flags()

    def announce(self, seats: Sequence[PlayersSeat], tokens: Sequence[str]) -> None:
        """Seat both players and tell them what the match is. When they are told, both clocks start."""
        self._told = False
        board = referee.first_board(self.header)
        for side, (seat, token) in enumerate(zip(seats, tokens, strict=True)):
            self.players[side] = seat
            tell_everybody(seat, [announcement(self.header, side, token), board])
        self._when_sent(self._begin, *seats)

    @property
    def number(self) -> int:
        """The number of the match."""
        return self.header.match

    @property
    def public(self) -> referee.State:
        """Return the match as spectators may see it now."""
        return self.state if self._delay is None or self.state.outcome is not None else self._delay.state

    def now(self) -> int:
        """Return microseconds since the match began: since both players were told of it."""
        return self._clock() - self._began if self._told else 0

    def resume(self, side: int, seat: PlayersSeat, token: str) -> None:
        """Give a player who comes back the seat, and all that was missed. Also when the match is over."""
        seat.tell(m.Match, encode(announcement(self.header, side, token)))
        if self.state.outcome is not None:
            self._story.tell(seat, self.state, 0)
            seat.leave()
            return
        now = self._at(self.now())
        self._story.tell(seat, self.state, now)
        absent, self.players[side] = self.players[side] is None, seat
        self.heard[side] = True
        if self.state.playing and self.state.history.position.turn == side and not self.waits_for(side):
            seat.tell(m.Turn, encode(referee.turn_message(self.state, now)))
        if absent:
            self._carry_out(*referee.back(self.state, side, now))
        if self.players[1 - side] is None:
            seat.tell(m.Opponent, encode(m.Opponent("gone")))

    def waits_for(self, side: int) -> bool:
        """Tell whether a side's clock stands because it has not come back since the server was restarted."""
        return self.state.awaited is not None and self.state.awaited.sides[side]

    def ready(self, side: int, arrived: int) -> None:
        """A player has said READY."""
        now = self._in_time(side, self._at(self._stamp(arrived)))
        self._carry_out(*referee.ready(self.state, side, now))
        self._probe(side)

    def move(self, side: int, text: str, arrived: int) -> None:
        """A player on turn has said MOVE; ``arrived`` is the stamp of the line on the server's clock."""
        if self.state.clock.since[side] is None:  # the line came together with what gave the turn, which goes out later
            self.state = referee.turn_given(self.state, self.now())
        now = self._in_time(side, self._at(self._stamp(arrived)))
        if self.header.lag_allowance:
            self._carry_out(*referee.allowed(self.state, 1 - side, self._lags[1 - side].measured))
        self._carry_out(*referee.move(self.state, side, text, now))
        self._on_move(arrived)
        self._probe(side)

    def echoed(self, side: int, text: str, arrived: int) -> None:
        """A player has answered the question that measures its lag."""
        self._lags[side].answered(text, arrived)

    def resign(self, side: int, arrived: int) -> None:
        """A player has given up; ``arrived`` is the stamp of the line on the server's clock."""
        self._carry_out(*referee.resign(self.state, side, self._given_up(arrived)))

    def says_crashed(self, side: int, sentence: str, arrived: int) -> None:
        """A player gives up because its program has failed; the sentence says how, in its own words."""
        self._carry_out(*referee.says_crashed(self.state, side, sentence, self._given_up(arrived)))

    def _given_up(self, arrived: int) -> int:
        """Return the stamp of a line that ends the match whosever clock runs: in time if it can have come in time."""
        now = self._at(max(self._stamp(arrived), self.state.stamp))
        late = any(self.state.clock.fallen(now))
        return self._earliest(now, max(self.state.sent, self.state.stamp)) if late else now

    def lost(self, side: int) -> None:
        """A player's connection is gone."""
        self.players[side] = None
        if self.state.outcome is None:
            now = self._at(self.now())
            self._carry_out(*referee.gone(self.state, side, now))

    def annul(self, termination: Termination, sentence: str) -> None:
        """End the match without a result."""
        if self.state.outcome is None:
            now = self._at(self.now())
            self._carry_out(*referee.annul(self.state, termination, sentence, now))

    def adjudicate(self, winner: int | None, sentence: str) -> None:
        """End the game with the result that its present position is proven to have."""
        now = self._at(self.now())
        self._carry_out(*referee.adjudicate(self.state, winner, sentence, now))

    def crashed(self, side: int, sentence: str, termination: Termination = Termination.CRASHED) -> None:
        """A player's program has ended; the sentence says how, and the termination whether for a bound."""
        self._carry_out(*referee.crashed(self.state, side, sentence, self._at(self.now()), termination))

    def abandon(self, termination: Termination, sentence: str) -> None:
        """End the match without a result, without its record and without the referee: one of them has failed."""
        left = self.state.clock.left
        self.state = self.state._replace(clock=Clock(left), awaited=None, outcome=Outcome(None, termination, sentence))
        milliseconds = (max(0, left[0]) // MICROSECONDS, max(0, left[1]) // MICROSECONDS)
        data = encode(m.Result(self.number, "annulled", str(termination), *milliseconds, m.Text(sentence)))
        for seat in self._seats():
            seat.tell(m.Result, data)
        self._journal.abandon()
        self._leave()

    def suspend(self) -> None:
        """Stop without an end, and let go of everybody: the journal stays as it is."""
        with suppress(OSError):
            self._journal.close()
        self._suspended = True
        self._flags.forget()
        seats = self._seats()
        self.players, self.watchers = [None, None], {}
        for seat in seats:
            seat.leave()

    def legal_moves(self) -> MoveList:
        """Return the list of the moves that are legal now, perhaps not yet found; the same one during a turn."""
        if self._listing is None:
            self._listing = MoveList(self.state.history.position)
        return self._listing

    def watch(self, seat: Seat) -> None:
        """Let somebody watch, from the beginning. Of a match that is over all is told at once."""
        seat.tell(m.Watching, encode(watching(self.header)))
        self._public_story.tell(seat, self.public, self.now())
        if self.state.outcome is None:
            self.watchers[seat] = None
        else:
            seat.leave()

    def line(self) -> str:
        """Return the match's line in the list."""
        outcome = self.state.outcome
        if outcome is not None:
            state = f"{outcome.result(self.state.sides)} {outcome.termination}"
        else:
            state = "running" if self.state.playing else "preparing"
        return f"{self._line} {self.public.history.plies} {state}"

    @property
    def over(self) -> bool:
        """Tell whether no flag can fall any more."""
        return self._suspended or self.state.outcome is not None

    def deadline(self) -> int | None:
        """Return when the next flag falls, or a player is waited for no longer, on the server's clock."""
        deadline = None if self._suspended or not self._told else referee.deadline(self.state)
        return None if deadline is None else self._began + deadline

    def flag(self, now: int) -> None:
        """Look whether by a stamp of the server a flag has fallen, or somebody was waited for long enough."""
        self._kept = None
        if self._suspended or not self._told:
            return
        now = self._at(now - self._began)
        self._carry_out(*referee.flag(self.state, now))

    def failed(self, error: Exception) -> None:
        """Looking at the flags, or what was to be done when something was sent, raised an error."""
        self._on_fault(self, error)

    def _stamp(self, arrived: int) -> int:
        return max(self.state.sent, arrived - self._began) if self._told else 0

    def _probe(self, side: int) -> None:
        """Ask a player whose clock stands, if lag matters."""
        seat, lag = self.players[side], self._lags[side]
        if self.header.lag_allowance and seat is not None and self.state.outcome is None:
            seat.tell(m.Probe, encode(m.Probe(m.Text(lag.ask()))))
            self._when_sent(lambda: lag.sent(self._clock()), seat)

    def _at(self, now: int) -> int:
        """Take note of the stalls of the server that began before a stamp; return the stamp."""
        if self._stalls.last > self._stood:
            for stall in self._stalls.between(self._stood, now + self._began):
                self._stood = stall.begin
                seen = Stall(stall.begin - self._began, stall.until - self._began)
                self._carry_out(*referee.stalled(self.state, seen))
        return now

    def _in_time(self, side: int, now: int) -> int:
        """Return the stamp of a line; where it would be too late, the earliest at which it can have come."""
        return self._earliest(now, self.state.sent) if self.state.clock.used_up(side, now) else now

    def _earliest(self, now: int, after: int) -> int:
        """Return the earliest stamp at which a line can have come that came after another stamp."""
        earliest = self._stalls.looked - self._began
        return earliest if after <= earliest < now else now

    def _carry_out(self, state: referee.State, effects: list[referee.Effect]) -> None:
        """Write, then tell."""
        lines = [effect.line for effect in effects if isinstance(effect, referee.WriteRecord)]
        if lines:
            self._journal.write("".join(lines))
        self.state = state
        finished = bool(effects) and isinstance(effects[-1], referee.Finish)
        try:
            given = self._tell(effects)
        finally:
            if finished:
                self._end()
        if given:
            self._listing = None
            self.moves_asked = 0
            self.boards_asked = [0, 0]
            mover = self.players[self.state.history.position.turn]
            self._when_sent(partial(self._turn_given, self.state.history.plies), mover)
        elif not finished:
            self._watch_flags()

    def _tell(self, effects: list[referee.Effect]) -> bool:
        """Tell players, then spectators, what a step has for them; return whether a turn was given."""
        shown: list[tuple[type, bytes]] = []
        given = False
        for effect in effects:
            if isinstance(effect, referee.WriteRecord):
                continue
            if isinstance(effect, referee.Show):
                kind, data = type(effect.message), encode(effect.message)
                shown.append((kind, data))
                self._story.add(kind, data)
                for seat in self.players:
                    if seat is not None:
                        seat.tell(kind, data)
            elif isinstance(effect, referee.GiveTurn):
                given = True
                seat = self.players[effect.side]
                if seat is not None:
                    seat.tell(m.Turn, encode(referee.turn_message(self.state, 0)))  # no clock runs yet
            elif isinstance(effect, referee.Tell):
                seat = self.players[effect.side]
                if seat is not None:
                    seat.tell(type(effect.message), encode(effect.message))
            elif isinstance(effect, referee.GiveTime):
                self._when_sent(partial(self._time_given, effect.side), self.players[effect.side])
        if self._delay is not None:
            shown = self._delay.after(self.state, shown)
            for kind, data in shown:
                self._public_story.add(kind, data)
        for watcher in list(self.watchers):
            for kind, data in shown:
                watcher.tell(kind, data)
        return given

    def _begin(self) -> None:
        """MATCH was sent to both, the slower stream has taken it too: from here on initialisation is charged."""
        self._told = True
        self._began = self._clock()
        self._stood = self._stalls.last
        if self.state.outcome is None:
            self._watch_flags()

    def _turn_given(self, plies: int) -> None:
        """TURN was sent, behind so many moves: from here on the side to move is charged."""
        if self.state.outcome is None and self.state.history.plies == plies:
            self.state = referee.turn_given(self.state, self.now())
            self._watch_flags()

    def _time_given(self, side: int) -> None:
        """What a player missed was sent: from here on initialisation is charged again."""
        self._carry_out(*referee.time_given(self.state, side, self.now()))

    def _when_sent(self, call: Callable[[], None], *seats: PlayersSeat | None) -> None:
        """Call something when all that these were told up to now is sent; what it raises is a fault of this match."""
        if all(seat is None or seat.direct for seat in seats):
            self._send_queue.then(call, self.failed)
            return
        waited_for = [seat for seat in seats if seat is not None and not seat.direct]

        def handed() -> None:
            waited_for.pop()
            if not waited_for:
                try:
                    call()
                except Exception as error:
                    self.failed(error)

        for seat in list(waited_for):
            seat.when_handed(handed)

    def _end(self) -> None:
        """The result stands in the journal: whatever becomes of that, the match is over."""
        try:
            self._journal.finish()
        except OSError as error:
            log.error("record_write_deferred", match=self.number, error=str(error))
        self._leave()

    def _leave(self) -> None:
        self._flags.forget()
        seats = self._seats()
        self.gone = (self.players[0] is None, self.players[1] is None)
        self.players = [None, None]
        self.watchers = {}
        for seat in seats:
            seat.leave()
        self._on_end(self)

    def _seats(self) -> list[Seat]:
        return [seat for seat in (*self.players, *self.watchers) if seat is not None]

    def _watch_flags(self) -> None:
        self._kept = self._flags.keep(self, self._kept)
