"""A match as a spectator knows it, and how a terminal shows it."""

from typing import NamedTuple

from rich.console import Group
from rich.text import Text

from bots.client.formatting import time_control, variant
from bots.terminal.painting import paint_board
from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Game, Successor
from engine.wire import messages as m
from engine.wire.codes import ProtocolError
from engine.wire.fields import read_note
from engine.wire.words import parameters_of


class WatchedMatch(NamedTuple):
    """A match that is watched, as far as it has come: a value that each message of the server makes a new one of."""

    watching: m.Watching
    history: History
    left: tuple[int, int]
    """Remaining time of both sides at the moment ``since``, in milliseconds."""
    since: float
    """A moment on the spectator's clock, in seconds."""
    begun: m.Start | None = None
    """START of the match; None during initialisation."""
    moved: tuple[m.Moved, ...] = ()
    notes: tuple[str, str] = ("", "")
    """The last note of each side that spectators may see."""
    result: m.Result | None = None

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
    def title(self) -> str:
        """The number of the match, what is played and with which times."""
        match = self.watching
        return f"match {match.match}: {variant(match)}, {time_control(match.budget, match.increment)}"

    @property
    def turn(self) -> int | None:
        """The side whose clock runs; None before and after play."""
        return self.history.position.turn if self.begun is not None and self.result is None else None

    def clocks(self, now: float) -> tuple[int, int]:
        """Return the remaining time of both sides at a moment, in milliseconds, not below 0."""
        left = list(self.left)
        if self.turn is not None:
            left[self.turn] -= int((now - self.since) * 1000)
        return (max(0, left[0]), max(0, left[1]))

    def after(self, message: m.Message, now: float) -> "WatchedMatch":
        """Return the match after a message; those that do not matter change nothing. Raises `GameError`."""
        match message:
            case m.Board(lines):
                start = self.game.read("".join(line + "\n" for line in lines))
                return self._replace(history=History.begin(start), moved=())
            case m.Start(first, second):
                return self._replace(begun=message, left=(first, second), since=now)
            case m.Moved(_, _, first, second, move):
                history, moved = self.history.after(move), (*self.moved, message)
                return self._replace(history=history, moved=moved, left=(first, second), since=now)
            case m.Pong() if self.begun is not None:
                # The catch-up ends here. START has the present clocks and each MOVED those of its move: the smaller
                # one of both is the later one.
                left = (min(self.left[0], self.begun.first), min(self.left[1], self.begun.second))
                return self._replace(left=left, since=now)
            case m.Noted(_, side) if side in self.game.sides:
                notes = list(self.notes)
                notes[self.game.sides.index(side)] = note_text(message)
                return self._replace(notes=(notes[0], notes[1]))
            case m.Result(match, _, _, first, second) if match == self.watching.match:
                return self._replace(result=message, left=(first, second), since=now)
        return self

    def ending(self) -> str:
        """Say how the match has ended; empty while it goes on."""
        if self.result is None:
            return ""
        _, result, reason, _, _, sentence = self.result
        if result in self.game.sides:
            result = f"{self.players[self.game.sides.index(result)]} ({result}) wins"
        return f"{result}, {reason}: {sentence}" if sentence else f"{result}, {reason}"


def clock(ms: int) -> str:
    """Format a clock: minutes and seconds, and tenths in the last minute."""
    if ms < 60_000:
        return f"{ms // 1000}.{ms % 1000 // 100} s"
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def note_text(noted: m.Noted) -> str:
    """Return a note in words; one that cannot be read, of a newer server, as it is."""
    try:
        return str(read_note(noted.note))
    except ProtocolError:
        return noted.note


RUNNING = (["running"], ["preparing"])
"""States of a running match as they stand in LIST, one word."""


def newest(listed: m.Matches, above: int = 0, *, running: bool = False) -> int | None:
    """Return the newest match of a list that has a number above one, or the newest ``running`` one; None if none."""
    lines = [words for line in listed.lines if (words := line.split()) and (not running or words[8:9] in RUNNING)]
    return max((int(words[0]) for words in lines if words[0].isdigit() and int(words[0]) > above), default=None)


OTHER_ROWS = 6
"""Rows of a scene beside its board and its moves."""

MAX_ROWS = 20
"""Most rows of moves that are shown."""


def render_match(show: WatchedMatch, now: float, height: int) -> Group:
    """Render a match for a terminal of a height: the board, the players, the last moves, and the state."""
    position = show.history.position
    last = Successor(show.history.moves[-1], position) if show.moved else None
    board = paint_board(position.picture(last), show.game.marks)
    rows = min(MAX_ROWS, height - OTHER_ROWS - len(board.plain.split("\n")))
    moves = [f"{moved.ply:4} {moved.side} {moved.move}" for moved in show.moved[-rows:]] if rows > 0 else []
    state = show.ending() or ("play goes on" if show.begun else "both sides are getting ready")
    lines = [Text(show.title, "bold"), board, *(_player(show, side, now) for side in (0, 1))]
    lines += [Text(position.summary(), "dim"), *map(Text, moves), Text(state, "bold")]
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def _player(show: WatchedMatch, side: int, now: float) -> Text:
    words = (show.game.marks[side], show.players[side], show.game.sides[side], clock(show.clocks(now)[side]))
    is_to_move = show.turn == side
    text = Text(" ".join(words) + ("  ◀ to move" if is_to_move else ""), "bold green" if is_to_move else "")
    return text.append(f"  {show.notes[side]}", "italic dim")
