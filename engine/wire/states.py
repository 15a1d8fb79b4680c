"""Who may say what when: one table for both ends of a connection.

A session is in one of these states, as the client sees it; the server keeps the same state for it.
"""

from enum import StrEnum

from engine.wire import messages as m


class State(StrEnum):
    """Where a session stands."""

    GUEST = "guest"
    """Connected, not logged in."""
    GUEST_WATCHING = "guest watching"
    LOBBY = "lobby"
    """Logged in, doing nothing."""
    SEEKING = "seeking"
    """Waiting to be paired."""
    WATCHING = "watching"
    PREPARING = "preparing"
    """A match was announced and READY not yet said: the own clock runs."""
    WAITING = "waiting"
    """In a match, ready, and not on turn."""
    THINKING = "thinking"
    """In a match and on turn: the own clock runs."""
    ORGANISING = "organising"
    """Of an organiser, not of a player."""
    CLOSED = "closed"


IN_MATCH = frozenset({State.PREPARING, State.WAITING, State.THINKING})

ALWAYS: tuple[type, ...] = (m.Ping, m.Echo, m.AskHelp, m.Quit)
READ: tuple[type, ...] = (m.List, m.AskRecord, m.AskLog)
LOOK: tuple[type, ...] = (*READ, m.Watch)
SAY: tuple[type, ...] = (m.Note, m.Stderr)
PLAY: tuple[type, ...] = (*SAY, m.Ready, m.AskBoard, m.Resign, m.Crashed)

ALLOWED: dict[State, frozenset[type]] = {
    State.GUEST: frozenset((*ALWAYS, *LOOK, m.Login, m.Resume, m.Organise)),
    State.GUEST_WATCHING: frozenset((*ALWAYS, *READ, m.AskBoard, m.Unwatch)),
    State.LOBBY: frozenset((*ALWAYS, *LOOK, *SAY, m.Seek)),
    State.SEEKING: frozenset((*ALWAYS, *READ, *SAY, m.Cancel)),
    State.WATCHING: frozenset((*ALWAYS, *READ, m.AskBoard, m.Unwatch)),
    State.PREPARING: frozenset((*ALWAYS, *PLAY)),
    State.WAITING: frozenset((*ALWAYS, *PLAY)),
    State.THINKING: frozenset((*ALWAYS, *PLAY, m.Move, m.AskMoves)),
    State.ORGANISING: frozenset((*ALWAYS, *READ, m.Annul, m.Dismiss)),
    State.CLOSED: frozenset(),
}
"""What a client may say in each state. READY does nothing when it was said before, and NOTE and STDERR nothing without
a match: they may be on their way when a match ends."""

_LEAVE = {State.GUEST_WATCHING: State.GUEST, State.WATCHING: State.LOBBY} | dict.fromkeys(IN_MATCH, State.LOBBY)

NEXT: dict[tuple[State, type], State] = {
    (State.GUEST, m.Welcome): State.LOBBY,
    (State.GUEST, m.Watching): State.GUEST_WATCHING,
    (State.GUEST, m.Organising): State.ORGANISING,
    (State.LOBBY, m.Watching): State.WATCHING,
    (State.LOBBY, m.Seeking): State.SEEKING,
    (State.SEEKING, m.Cancelled): State.LOBBY,
    (State.SEEKING, m.Match): State.PREPARING,
    (State.LOBBY, m.Match): State.PREPARING,
    (State.PREPARING, m.Ready): State.WAITING,
    (State.PREPARING, m.Start): State.WAITING,
    (State.WAITING, m.Turn): State.THINKING,
    (State.THINKING, m.Move): State.WAITING,
    **{(state, m.Result): after for state, after in _LEAVE.items()},
    **{(state, m.Unwatched): _LEAVE[state] for state in (State.GUEST_WATCHING, State.WATCHING)},
    **{(state, m.Bye): State.CLOSED for state in State},
}
"""What a message, of either side, makes of a state; all others leave it as it is."""


AFTER: dict[State, dict[type, State]] = {
    state: {kind: following for (before, kind), following in NEXT.items() if before is state} for state in State
}
"""The same by state."""


def after(state: State, kind: type) -> State:
    """Return the state after a message of some kind was said or accepted."""
    return AFTER[state].get(kind, state)
