"""A match while it is played: carries out what the referee decides."""

import secrets
from collections.abc import Callable
from typing import Protocol

from engine.catalogue import GAMES
from engine.outcome import Termination
from engine.record import Header
from engine.wire import messages as m
from engine.wire.messages import Message, encode
from engine.wire.words import word_of
from server import referee
from server.archive import Journal
from server.flags import FlagKeeper
from server.outbox import Outbox


class Seat(Protocol):
    """What a match needs of a session: a player's or a spectator's."""

    def tell(self, kinds: tuple[type, ...], data: bytes) -> None:
        """Send messages of these kinds, already encoded."""

    def leave(self) -> None:
        """The match is over."""


class Match:
    """A running match. Its methods are called by sessions and by the flag keeper, and never wait."""

    def __init__(
        self,
        header: Header,
        journal: Journal,
        clock: Callable[[], int],
        flags: FlagKeeper,
        outbox: Outbox,
        on_end: Callable[["Match"], None],
        on_fault: Callable[["Match", Exception], None],
    ) -> None:
        """Begin the match: the header is written. `seat` the players next; when they are told, both clocks start."""
        self.header = header
        self.tokens = (secrets.token_hex(16), secrets.token_hex(16))
        self.players: list[Seat | None] = [None, None]
        self.watchers: dict[Seat, None] = {}
        self.boards_asked = [0, 0]
        self.moves_asked = 0
        self._listed: m.Moves | None = None
        self._journal = journal
        self._clock = clock
        self._flags = flags
        self._outbox = outbox
        self._on_end = on_end
        self._on_fault = on_fault
        self._kept: int | None = None
        journal.write(header.text())
        self._began = clock()
        self.state = referee.begin(header)
        outbox.then(self._begin)

    @property
    def number(self) -> int:
        """The number of the match."""
        return self.header.match

    def now(self) -> int:
        """Return microseconds since the match began."""
        return self._clock() - self._began

    def seat(self, side: int, seat: Seat) -> None:
        """Give a player the seat and tell what the match is."""
        self.players[side] = seat
        seat.tell((m.Match, m.Board), encode(self._announcement(side)) + encode(referee.first_board(self.header)))

    def resume(self, side: int, seat: Seat) -> None:
        """Give a player who comes back the seat, and all that was missed. Also when the match is over."""
        now = self.now()
        seat_messages = [self._announcement(side), *referee.story(self.state, now)]
        if self.state.outcome is None:
            absent = self.players[side] is None
            self.players[side] = seat
            if self.state.playing and self.state.history.position.turn == side:
                seat_messages.append(referee.turn_message(self.state, now))
            if absent:
                self._carry_out(*referee.presence(self.state, side, "back", now))
        _tell_all(seat, seat_messages)
        if self.state.outcome is not None:
            seat.leave()

    def ready(self, side: int, arrived: int) -> None:
        """A player has said READY."""
        self._carry_out(*referee.ready(self.state, side, self._stamp(arrived, 0)))

    def move(self, side: int, text: str, arrived: int) -> None:
        """A player on turn has said MOVE; ``arrived`` is the stamp of the line on the server's clock."""
        self._carry_out(*referee.move(self.state, side, text, self._stamp(arrived, self.state.sent)))

    def resign(self, side: int) -> None:
        """A player has given up."""
        self._carry_out(*referee.resign(self.state, side, self.now()))

    def lost(self, side: int) -> None:
        """A player's connection is gone."""
        self.players[side] = None
        if self.state.outcome is None:
            self._carry_out(*referee.presence(self.state, side, "gone", self.now()))

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
        self._journal.close()
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
        """Return when the next flag falls, on the server's clock."""
        deadline = self.state.clock.deadline()
        return None if deadline is None else self._began + deadline

    def flag(self) -> None:
        """Look whether a flag has fallen."""
        self._kept = None
        self._carry_out(*referee.flag(self.state, self.now()))

    def failed(self, error: Exception) -> None:
        """Looking at the flags raised an error."""
        self._on_fault(self, error)

    def _stamp(self, arrived: int, earliest: int) -> int:
        return max(earliest, arrived - self._began)

    def _announcement(self, side: int) -> m.Match:
        header, position = self.header, self.header.position
        return m.Match(
            header.match,
            position.game.name,
            word_of(position.parameters),
            position.game.sides[side],
            header.players[1 - side],
            *header.control.milliseconds,
            header.move_limit,
            self.tokens[side],
        )

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


def _tell_all(seat: Seat, messages: list[Message]) -> None:
    seat.tell(tuple(map(type, messages)), b"".join(map(encode, messages)))


def header_of(number: int, game: str, parameters: str | None, **fixed: object) -> Header:
    """Make the header of a new match from a pairing; None for the game's default parameters."""
    chosen = GAMES[game]
    position = chosen.start(parameters if parameters is not None else chosen.default_parameters)
    return Header(number, position, **fixed)  # type: ignore[arg-type]
