"""A match while it is played: carries out what the referee decides."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from engine.catalogue import GAMES
from engine.outcome import Termination
from engine.record import Header
from engine.wire import messages as m
from engine.wire.messages import Message, encode
from engine.wire.words import word_of
from server import referee
from server.archive import Journal, Keys
from server.flags import FlagKeeper
from server.outbox import Outbox


class Seat(Protocol):
    """What a match needs of a session: a player's or a spectator's."""

    def tell(self, kinds: tuple[type, ...], data: bytes) -> None:
        """Send messages of these kinds, already encoded."""

    def leave(self) -> None:
        """The match is over."""


class Surroundings(NamedTuple):
    """What all matches of a server share."""

    clock: Callable[[], int]
    """Counts microseconds."""
    flags: FlagKeeper
    outbox: Outbox
    on_end: Callable[["Match"], None]
    on_fault: Callable[["Match", Exception], None]


class Match:
    """A running match. Its methods are called by sessions and by the flag keeper, and never wait."""

    def __init__(self, state: referee.State, keys: Keys, journal: Journal, around: Surroundings, now: int = 0) -> None:
        """Take a match as far as it has come; the journal says as much. ``now`` is its stamp of this moment.

        ``keys`` are the hashes of what its players come back with.
        """
        self.state = state
        self.header = state.header
        self.keys = keys
        self.players: list[Seat | None] = [None, None]
        self.heard = [True, True]
        """Which side is known to have been told of the match: after a crash of the server that is not sure."""
        self.watchers: dict[Seat, None] = {}
        self.boards_asked = [0, 0]
        self.moves_asked = 0
        self._listed: m.Moves | None = None
        self._journal = journal
        self._clock = around.clock
        self._flags = around.flags
        self._outbox = around.outbox
        self._on_end = around.on_end
        self._on_fault = around.on_fault
        self._kept: int | None = None
        self._began = self._clock() - now
        self._watch_flags()

    def announce(self, seats: Sequence[Seat], tokens: Sequence[str]) -> None:
        """Seat both players and tell them what the match is. When they are told, both clocks start."""
        for side, (seat, token) in enumerate(zip(seats, tokens, strict=True)):
            self.players[side] = seat
            _tell_all(seat, [announcement(self.header, side, token), referee.first_board(self.header)])
        self._outbox.then(self._begin)

    @property
    def number(self) -> int:
        """The number of the match."""
        return self.header.match

    def now(self) -> int:
        """Return microseconds since the match began."""
        return self._clock() - self._began

    def resume(self, side: int, seat: Seat, token: str) -> None:
        """Give a player who comes back the seat, and all that was missed. Also when the match is over."""
        if self.state.outcome is not None:
            tell_over(seat, self.state, side, token)
            return
        now = self.now()
        messages = [announcement(self.header, side, token), *referee.story(self.state, now)]
        absent, self.players[side] = self.players[side] is None, seat
        self.heard[side] = True
        if self.state.playing and self.state.history.position.turn == side and not self.waits_for(side):
            messages.append(referee.turn_message(self.state, now))
        _tell_all(seat, messages)
        if absent:
            self._carry_out(*referee.back(self.state, side, now))
        if self.players[1 - side] is None:
            seat.tell((m.Opponent,), encode(m.Opponent("gone")))

    def waits_for(self, side: int) -> bool:
        """Tell whether a side's clock stands because it has not come back since the server was restarted."""
        return self.state.awaited is not None and self.state.awaited.sides[side]

    def ready(self, side: int, arrived: int) -> None:
        """A player has said READY."""
        self._carry_out(*referee.ready(self.state, side, self._stamp(arrived)))

    def move(self, side: int, text: str, arrived: int) -> None:
        """A player on turn has said MOVE; ``arrived`` is the stamp of the line on the server's clock."""
        if self.state.clock.since[side] is None:  # the line came together with what gave the turn, which goes out later
            self.state = referee.turn_given(self.state, self.now())
        self._carry_out(*referee.move(self.state, side, text, self._stamp(arrived)))

    def resign(self, side: int) -> None:
        """A player has given up."""
        self._carry_out(*referee.resign(self.state, side, self.now()))

    def lost(self, side: int) -> None:
        """A player's connection is gone."""
        self.players[side] = None
        if self.state.outcome is None:
            self._carry_out(*referee.gone(self.state, side, self.now()))

    def annul(self, termination: Termination, sentence: str) -> None:
        """End the match without a result."""
        if self.state.outcome is None:
            self._carry_out(*referee.annul(self.state, termination, sentence, self.now()))

    def abandon(self, termination: Termination, sentence: str) -> None:
        """End the match without a result and without its record, which cannot be written."""
        self.state, effects = referee.annul(self.state, termination, sentence, self.now())
        for effect in effects:
            if isinstance(effect, referee.Show):
                for seat in self._seats():
                    seat.tell((type(effect.message),), encode(effect.message))
        self._journal.abandon()
        self._leave()

    def legal_moves(self) -> m.Moves:
        """Return the answer to MOVES, found once a turn. Raises OverflowError where there are too many."""
        if self._listed is None:
            self._listed = referee.legal_moves(self.state)
        return self._listed

    def watch(self, seat: Seat) -> None:
        """Let somebody watch, from the beginning. Of a match that is over all is told at once."""
        header, position = self.header, self.header.position
        watching = m.Watching(
            header.match,
            position.game.name,
            word_of(position.parameters),
            *header.players,
            *header.control.milliseconds,
            header.move_limit,
        )
        _tell_all(seat, [watching, *referee.story(self.state, self.now())])
        if self.state.outcome is None:
            self.watchers[seat] = None
        else:
            seat.leave()

    def line(self) -> str:
        """Return the match's line in the list."""
        header, position = self.header, self.header.position
        times = " ".join(map(str, header.control.milliseconds))
        outcome = self.state.outcome
        if outcome is not None:
            state = f"{outcome.result(self.state.sides)} {outcome.termination}"
        else:
            state = "running" if self.state.playing else "preparing"
        return (
            f"{header.match} {position.game.name} {word_of(position.parameters)} {' '.join(header.players)} "
            f"{times} {self.state.history.plies} {state}"
        )

    def deadline(self) -> int | None:
        """Return when the next flag falls, or a player is waited for no longer, on the server's clock."""
        deadline = referee.deadline(self.state)
        return None if deadline is None else self._began + deadline

    def flag(self) -> None:
        """Look whether a flag has fallen, or somebody was waited for long enough."""
        self._kept = None
        self._carry_out(*referee.flag(self.state, self.now()))

    def failed(self, error: Exception) -> None:
        """Looking at the flags raised an error."""
        self._on_fault(self, error)

    def _stamp(self, arrived: int) -> int:
        return max(self.state.sent, arrived - self._began)

    def _carry_out(self, state: referee.State, effects: list[referee.Effect]) -> None:
        """Write, then send: each peer gets all that this step tells it in one piece."""
        lines: list[str] = []
        players: tuple[list[bytes], list[bytes]] = ([], [])
        kinds: tuple[list[type], list[type]] = ([], [])
        shown: list[tuple[type, bytes]] = []
        given = finished = False
        for effect in effects:
            if isinstance(effect, referee.Journal):
                lines.append(effect.line)
            elif isinstance(effect, referee.Show):
                data = encode(effect.message)
                shown.append((type(effect.message), data))
                for side in (0, 1):
                    players[side].append(data)
                    kinds[side].append(type(effect.message))
            elif isinstance(effect, referee.Tell):
                players[effect.side].append(encode(effect.message))
                kinds[effect.side].append(type(effect.message))
            elif isinstance(effect, referee.GiveTurn):
                players[effect.side].append(encode(referee.turn_message(state, 0)))  # no clock runs yet
                kinds[effect.side].append(m.Turn)
                given = True
            elif isinstance(effect, referee.GiveTime):
                self._outbox.then(partial(self._time_given, effect.side))
            else:
                finished = True
        if lines:
            self._journal.write("".join(lines))
        self.state = state
        self._deliver(players, kinds, shown)
        if given:
            self._listed = None
            self.moves_asked = 0
            self.boards_asked = [0, 0]
            self._outbox.then(self._turn_given)
        if finished:
            self._end()
        else:
            self._watch_flags()

    def _deliver(
        self,
        players: tuple[list[bytes], list[bytes]],
        kinds: tuple[list[type], list[type]],
        shown: list[tuple[type, bytes]],
    ) -> None:
        for seat, parts, told in zip(self.players, players, kinds, strict=True):
            if seat is not None and parts:
                seat.tell(tuple(told), b"".join(parts))
        if shown and self.watchers:
            data = b"".join(part for _, part in shown)
            told = [kind for kind, _ in shown]
            for watcher in list(self.watchers):
                watcher.tell(tuple(told), data)

    def _begin(self) -> None:
        """MATCH was sent: from here on initialisation is charged."""
        self._began = self._clock()
        self._watch_flags()

    def _turn_given(self) -> None:
        """TURN was sent: from here on the side to move is charged."""
        if self.state.outcome is None:
            self.state = referee.turn_given(self.state, self.now())
            self._watch_flags()

    def _time_given(self, side: int) -> None:
        """What a player missed was sent: from here on initialisation is charged again."""
        try:
            self._carry_out(*referee.time_given(self.state, side, self.now()))
        except OSError as error:
            self._outbox.soon(partial(self._on_fault, self, error))

    def _end(self) -> None:
        try:
            self._journal.finish()
        finally:
            self._leave()  # the result was told: whatever becomes of the record, the match is over

    def _leave(self) -> None:
        seats = self._seats()
        self.players = [None, None]
        self.watchers = {}
        for seat in seats:
            seat.leave()
        self._on_end(self)

    def _seats(self) -> list[Seat]:
        return [seat for seat in (*self.players, *self.watchers) if seat is not None]

    def _watch_flags(self) -> None:
        self._kept = self._flags.keep(self, self._kept)


def announcement(header: Header, side: int, token: str) -> m.Match:
    """Return the MATCH of a side."""
    position = header.position
    return m.Match(
        header.match,
        position.game.name,
        word_of(position.parameters),
        position.game.sides[side],
        header.players[1 - side],
        *header.control.milliseconds,
        header.move_limit,
        token,
    )


def tell_over(seat: Seat, state: referee.State, side: int, token: str) -> None:
    """Tell a player who comes back to a match that is over all of it."""
    _tell_all(seat, [announcement(state.header, side, token), *referee.story(state, 0)])
    seat.leave()


def _tell_all(seat: Seat, messages: list[Message]) -> None:
    seat.tell(tuple(map(type, messages)), b"".join(map(encode, messages)))


def header_of(number: int, game: str, parameters: str | None, **fixed: object) -> Header:
    """Make the header of a new match from a pairing; None for the game's default parameters."""
    chosen = GAMES[game]
    position = chosen.start(parameters if parameters is not None else chosen.default_parameters)
    return Header(number, position, **fixed)  # type: ignore[arg-type]
