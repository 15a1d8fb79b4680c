"""The match as spectators see it, some moves late, so that they cannot help a player."""

from collections import deque

from engine.clock import MICROSECONDS, Clock
from engine.games.history import History
from engine.wire import messages as m
from engine.wire.coding import encode
from server.match.referee import State


class Delay:
    """The state of a match some moves ago; its final state when it is over."""

    def __init__(self, moves: int, state: State) -> None:
        """Take the present state; spectators see it ``moves`` moves late, at least one."""
        self._past: deque[State] = deque(_recent_states(state, moves), maxlen=moves + 1)

    @property
    def state(self) -> State:
        """Return the state that spectators see."""
        return self._past[0]

    def after(self, state: State, shown: list[tuple[type, bytes]]) -> list[tuple[type, bytes]]:
        """Take the next state and the messages that players are shown; return those for spectators."""
        seen = len(self.state.shown)
        if state.outcome is not None:
            self._past = deque([state])
        elif state.history.plies > self._past[-1].history.plies:
            self._past.append(state)
        elif state.ready != self._past[-1].ready:
            self._past[-1] = state
        elif state.notes is not self._past[-1].notes:
            self._past[-1] = self._past[-1]._replace(notes=state.notes)
        due = [(m.Moved, encode(moved)) for moved in self.state.shown[seen:]]
        return [part for part in shown if part[0] is m.Start] + due + [part for part in shown if part[0] is m.Result]


def _recent_states(state: State, moves: int) -> list[State]:
    """Return the states of a match from ``moves`` moves ago up to now."""
    if state.outcome is not None or not state.shown:
        return [state]
    history = History.begin(state.header.position)
    histories = [history]
    for move in state.history.moves:
        history = history.after(move)
        histories.append(history)
    first = max(0, len(state.shown) - moves)
    return [
        state._replace(history=histories[plies], shown=state.shown[:plies], clock=_clock(state, plies))
        for plies in range(first, len(histories))
    ]


def _clock(state: State, plies: int) -> Clock:
    """Return the stopped clock after a number of moves."""
    if plies == 0:
        return Clock.full(state.header.control)
    moved = state.shown[plies - 1]
    return Clock((moved.first * MICROSECONDS, moved.second * MICROSECONDS))
