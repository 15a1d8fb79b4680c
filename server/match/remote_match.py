"""A match that another process hosts, as far as spectators see it; what happens there is told by `Change`."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from engine.clock import Clock
from engine.games.outcome import Outcome, Termination
from engine.record import Header, RecordedNote
from engine.wire import messages as m
from engine.wire.coding import encode
from server.match import referee
from server.match.match import Match
from server.match.match_messages import PlayersSeat, Seat, announcement, listing_head, listing_line, watching
from server.match.spectator_backlog import SpectatorBacklog, encode_notes
from server.storage.record_store import Keys


class Ended(NamedTuple):
    """An outcome as processes tell it to each other."""

    winner: int | None
    termination: str
    detail: str


class Change(NamedTuple):
    """What spectators see of a match beyond what was told before."""

    elapsed: int
    """Time of the match at which this is told."""
    ready: tuple[bool, bool]
    clock: Clock
    shown: tuple[m.Moved, ...]
    """Moves since the last change."""
    notes: tuple[RecordedNote, ...]
    """Notes since the last change."""
    ended: Ended | None = None


class Host(Protocol):
    """The process that hosts a match. What it is asked for happens later, or never, if it dies."""

    def annul(self, match: int, termination: Termination, sentence: str) -> None:
        """End a match without a result."""

    def end_crashed(self, match: int, side: int, sentence: str, termination: Termination) -> None:
        """End a match whose program on a side exited or exceeded a limit."""

    def resume(self, match: int, side: int, seat: PlayersSeat, token: str) -> None:
        """Take the connection of a player who resumes a match."""

    def follow(self, match: int) -> None:
        """Tell changes of a match at once from now on, since somebody watches it."""


class RemoteMatch:
    """A match that another process hosts. Its players' connections are there; its spectators are here."""

    def __init__(self, header: Header, keys: Keys, host: Host, clock: Callable[[], int]) -> None:
        """Take a match that begins. ``clock`` counts microseconds."""
        self.header = header
        self.number = header.match
        self.keys = keys
        self.names: tuple[str, str] = (header.players[0].lower(), header.players[1].lower())
        """Session keys of the players."""
        self.players: list[PlayersSeat | None] = [None, None]
        """The players' sessions in this process, which have lent their connections."""
        self.informed = [True, True]
        self.disconnected_at_end = (False, False)
        self.fault_cause = ""
        self.watchers: dict[Seat, None] = {}
        self.summary = referee.begin(header)
        """The public state, but for its history, which may be behind: for lists, which need no position."""
        self.successor: Match | None = None
        """The same match in this process, which has taken it up when the other one had died."""
        self._host = host
        self._clock = clock
        self._began = clock()
        self._listing_head = listing_head(header)

    @property
    def public(self) -> referee.State:
        """Return the state that spectators may see now."""
        history = self.summary.history
        if history.plies < len(self.summary.shown):
            for moved in self.summary.shown[history.plies :]:
                history = history.after(moved.move)
            self.summary = self.summary._replace(history=history)
        return self.summary

    @property
    def state(self) -> referee.State:
        """Return the same: what spectators do not see yet is known to the other process alone."""
        return self.public

    @property
    def public_notes(self) -> tuple[RecordedNote, ...]:
        """Return the notes that spectators may see now."""
        return self.summary.notes

    @property
    def awaited_ply(self) -> int:
        """Return the number of the move that is waited for as spectators see it, from 1; 0 before both are ready."""
        return len(self.summary.shown) + 1 if self.summary.ready == (True, True) else 0

    @property
    def over(self) -> bool:
        """Tell whether the match has ended."""
        return self.summary.outcome is not None

    def now(self) -> int:
        """Return the time of the match, within the time that a message between the processes takes."""
        return self._clock() - self._began

    def line(self) -> str:
        """Return the line of the match in LIST."""
        return listing_line(self._listing_head, self.summary, len(self.summary.shown))

    def watch(self, seat: Seat) -> None:
        """Add a spectator, and send the match from its start."""
        seat.tell(m.Watching, encode(watching(self.header)))
        state = self.public
        SpectatorBacklog(state).send(seat, state, self.now(), len(state.notes))
        if self.over:
            seat.leave()
            return
        self.follow(seat)

    def follow(self, seat: Seat) -> None:
        """Add a spectator of a running match who has seen it so far."""
        self.watchers[seat] = None
        self._host.follow(self.number)

    def resume(self, side: int, seat: PlayersSeat, token: str) -> None:
        """Let a player resume the match; when it is over, send all of it."""
        if not self.over:
            self.players[side] = seat
            self._host.resume(self.number, side, seat, token)
            return
        seat.tell(m.Match, encode(announcement(self.header, side, token)))
        SpectatorBacklog(self.public).send(seat, self.public, 0)
        seat.leave()

    def disconnect(self, side: int) -> None:
        """Note that a player has lost its connection, which its host knows."""
        self.players[side] = None

    def annul(self, termination: Termination, sentence: str) -> None:
        """End the match without a result."""
        if not self.over:
            self._host.annul(self.number, termination, sentence)

    def end_crashed(self, side: int, sentence: str, termination: Termination = Termination.CRASHED) -> None:
        """End the match because the program of a side exited or exceeded a limit."""
        if not self.over:
            self._host.end_crashed(self.number, side, sentence, termination)

    def apply(self, change: Change) -> None:
        """Take a change, and tell it to spectators."""
        before = self.summary
        self._began = self._clock() - change.elapsed
        outcome = None
        if change.ended is not None:
            winner, termination, detail = change.ended
            outcome = Outcome(winner, termination_of(termination), detail)
        self.summary = before._replace(
            ready=change.ready,
            clock=change.clock,
            shown=before.shown + change.shown,
            notes=before.notes + change.notes,
            outcome=outcome,
        )
        if not self.watchers:
            return
        for seat in list(self.watchers):
            for kind, data in self._messages(before, change):
                seat.tell(kind, data)
            if outcome is not None:
                seat.leave()
        if outcome is not None:
            self.watchers = {}

    def _messages(self, before: referee.State, change: Change) -> Sequence[tuple[type, bytes]]:
        """Return what a change is for spectators."""
        state = self.summary
        told: list[tuple[type, bytes]] = []
        if state.ready == (True, True) != before.ready:
            told.append((m.Start, encode(m.Start(*state.clock.milliseconds(change.elapsed)))))
        told += [(m.Moved, encode(moved)) for moved in change.shown]
        if change.notes:
            told.append((m.Noted, encode_notes(state, len(before.notes), len(state.notes))))
        if state.outcome is not None:
            told.append((m.Result, encode(referee.result(state, 0))))
        return told


def change_since(state: referee.State, notes: Sequence[RecordedNote], elapsed: int, moves: int, noted: int) -> Change:
    """Return what is new in the state that spectators see, with its notes, after so many moves and notes."""
    outcome = state.outcome
    ended = None if outcome is None else Ended(outcome.winner, str(outcome.termination), outcome.detail)
    return Change(elapsed, state.ready, state.clock, state.shown[moves:], tuple(notes[noted:]), ended)


@cache
def termination_of(word: str) -> StrEnum:
    """Return the way of ending that a word names: one of any game, or one of the game's own."""
    try:
        return Termination(word)
    except ValueError:
        ending = StrEnum("ending", {word.upper(): word})  # type: ignore[misc]
        return next(iter(ending))
