"""A match as a spectator sees it: a value that each message of the server makes a new one of. No I/O."""

from typing import NamedTuple

from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Game, GameError, Successor
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.fields import read_note
from engine.wire.words import parameters_of

RUNNING = (["running"], ["preparing"])
"""States of a running match as they stand in LIST, one word."""


class WatchedMatch(NamedTuple):
    """A match that is watched, as far as it has come."""

    watching: m.Watching
    history: History
    left: tuple[int, int]
    """What both sides had left, in milliseconds, when ``since`` was."""
    since: float
    """A moment on the spectator's clock, in seconds."""
    begun: m.Start | None = None
    """Initialisation is over."""
    last: Successor | None = None
    summary_before: str = ""
    """What was to be said of the position before the last move."""
    moved: tuple[m.Moved, ...] = ()
    result: m.Result | None = None
    notes: tuple[m.Noted, ...] = ()
    """What the players have noted, as far as spectators may know it."""

    @classmethod
    def begin(cls, watching: m.Watching, now: float) -> "WatchedMatch":
        """Begin to watch; raises KeyError for an unknown game and `GameError` for its parameters."""
        start = GAMES[watching.game].start(parameters_of(watching.parameters))
        return cls(watching, History.begin(start), (watching.budget, watching.budget), now)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return GAMES[self.watching.game]

    @property
    def players(self) -> tuple[str, str]:
        """The names, that of the side that begins first."""
        return (self.watching.first, self.watching.second)

    @property
    def turn(self) -> int | None:
        """The side whose clock runs; None before and after play."""
        return self.history.position.turn if self.begun is not None and self.result is None else None

    def clocks(self, now: float) -> tuple[int, int]:
        """Return what both sides have left at a moment, in milliseconds, not below 0."""
        left = list(self.left)
        if self.turn is not None:
            left[self.turn] -= int((now - self.since) * 1000)
        return (max(0, left[0]), max(0, left[1]))

    def after(self, message: m.Message, now: float) -> "WatchedMatch":
        """Return the match after a message; those that do not matter change nothing. Raises `GameError`."""
        match message:
            case m.Board(lines):
                start = self.game.read("".join(line + "\n" for line in lines))
                return self._replace(history=History.begin(start), moved=(), last=None)
            case m.Start(first, second):
                return self._replace(begun=message, left=(first, second), since=now)
            case m.Moved():
                return self._after_move(message, now)
            case m.Pong() if self.begun is not None:
                # All that was before has been told. START said what the clocks show now, the moves what they
                # showed then: the lesser of the two is the later one.
                left = (min(self.left[0], self.begun.first), min(self.left[1], self.begun.second))
                return self._replace(left=left, since=now)
            case m.Noted():
                return self._replace(notes=(*self.notes, message))
            case m.Result(match, _, _, first, second) if match == self.watching.match:
                return self._replace(result=message, left=(first, second), since=now)
        return self

    def _after_move(self, moved: m.Moved, now: float) -> "WatchedMatch":
        history = self.history.after(moved.move)
        return self._replace(
            history=history,
            last=Successor(history.moves[-1], history.position),
            summary_before=self.history.position.summary(),
            moved=(*self.moved, moved),
            left=(moved.first, moved.second),
            since=now,
        )

    def last_note(self, side: int) -> str:
        """Return the last note of a side in words; empty where there is none."""
        name = self.game.sides[side]
        return next((note_text(noted) for noted in reversed(self.notes) if noted.side == name), "")

    def ending(self) -> str:
        """Say how the match has ended; empty while it goes on."""
        if self.result is None:
            return ""
        _, result, reason, _, _, sentence = self.result
        if result in self.game.sides:
            who = f"{self.players[self.game.sides.index(result)]} ({result}) wins"
        else:
            who = "drawn" if result == "draw" else result
        return f"{who}, {reason}: {sentence}" if sentence else f"{who}, {reason}"


def note_text(noted: m.Noted) -> str:
    """Return a note in words; one that cannot be read, of a newer server, as it is."""
    try:
        return str(read_note(noted.note))
    except ProtocolError:
        return noted.note


def newest_running(listed: m.Matches, above: int = 0) -> int | None:
    """Return the newest match of a list that is running and has a number above one; None where there is none."""
    return newest(m.Matches(m.Block(tuple(line for line in listed.lines if line.split()[8:9] in RUNNING))), above)


def newest(listed: m.Matches, above: int = 0) -> int | None:
    """Return the newest match of a list, running or not, that has a number above one; None where there is none."""
    numbers = [int(word) for line in listed.lines if (word := line.partition(" ")[0]).isdigit()]
    return max((number for number in numbers if number > above), default=None)


def unreadable(error: Exception) -> str:
    """Say that a match cannot be followed here."""
    what = str(error) if isinstance(error, GameError) else f"the game {error} is unknown here"
    return f"the match cannot be followed: {what}"
