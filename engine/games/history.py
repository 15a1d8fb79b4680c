"""A game so far: its positions, the draws that only they show, its text, and the table at which it is played.

As text a game is the position in which it began and, behind a line ``moves:``, its moves, a line each. Without moves it
is the game's own text form of a position. Where that form has moves as well, as that of arrows, on a line that begins
with ``moves:``, these belong to the position.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import accumulate

from msgspec import Struct

from engine.games.interface import BadMove, BadPosition, Game, Position
from engine.games.outcome import Outcome, Termination

REPETITIONS = 3
"""A position that stands on the board for this many times is a draw."""


class History(Struct, frozen=True):
    """A game from its first position on. Immutable: `after` returns a longer one."""

    start: Position
    position: Position
    moves: tuple[str, ...] = ()
    keys: tuple[Hashable, ...] = ()
    """Keys of the positions before the present one, in order, since the stage was another: what was then cannot come
    back."""

    @classmethod
    def begin(cls, position: Position) -> "History":
        """Return the history of a game that begins in a position."""
        return cls(position, position)

    def after(self, move: str) -> "History":
        """Return the history with one more move; raises `engine.games.interface.BadMove`."""
        text, position = self.position.child(move)
        before = self.position
        keys = (*self.keys, before.key) if position.stage == before.stage else ()
        return History(self.start, position, (*self.moves, text), keys)

    @property
    def plies(self) -> int:
        """How many moves were made, both sides' counted."""
        return len(self.moves)

    @property
    def quiet(self) -> int:
        """How many of the last moves have left the stage as it was."""
        return len(self.keys)

    def outcome(self, move_limit: int) -> Outcome | None:
        """Return how the game has ended, or None. ``move_limit`` is in plies.

        What the board shows goes before a repetition, that before a lack of progress, and that before the limit.
        """
        outcome = self.position.outcome
        if outcome is not None:
            return outcome
        if self.keys.count(self.position.key) + 1 >= REPETITIONS:
            return Outcome(None, Termination.REPETITION, "the position stands on the board for the third time")
        limit = self.position.game.quiet_limit
        if 0 < limit <= self.quiet:
            return Outcome(None, Termination.NO_PROGRESS, f"nothing was captured or placed for {limit} moves")
        if self.plies >= move_limit:
            return Outcome(None, Termination.MOVE_LIMIT, f"the match ends after {move_limit} moves")
        return None


MOVES = "moves:"
"""The line before the moves."""


def write_game(history: History) -> str:
    """Return a game as text, lines ended by newlines; `read_game` reads it back."""
    moves = [MOVES, *history.moves] if history.moves else []
    return history.start.text() + "".join(f"{line}\n" for line in moves)


def read_game(game: Game, text: str) -> History:
    """Read a game; raises `BadPosition` with the line that is wrong, for a bad move under the code of that move."""
    lines = text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.strip() == MOVES), len(lines))
    history = History.begin(game.read("".join(f"{line}\n" for line in lines[:end])))
    for number, line in enumerate(lines[end + 1 :], end + 2):
        if line.strip():
            try:
                history = history.after(line)
            except BadMove as error:
                raise BadPosition(error.code, f"move {history.plies + 1}: {error}", number) from None
    return history


MOVE_LIMIT = 1000
"""A game at a table is drawn after so many moves, both sides' counted, as a match on the server usually is."""


class NothingThere(Exception):
    """There is no move to take back, or none to make again. ``str(error)`` is a sentence for people."""


@dataclass(frozen=True)
class Player:
    """Who moves for a side: a person, or a bot that thinks about a move for so many seconds, or plays at a level."""

    seconds: float = 0.0
    """0 for a person, and for a bot with a level."""
    level: int | None = None
    """A level below the highest one of `engine.levels`; None for a person, and for a bot with a time."""

    @property
    def is_bot(self) -> bool:
        """Tell whether a program moves."""
        return self.seconds > 0 or self.level is not None

    def __str__(self) -> str:
        """Write it as people type it: ``person``, ``bot:1``, ``level:3``."""
        if self.level is not None:
            return f"level:{self.level}"
        return f"bot:{self.seconds:g}" if self.is_bot else "person"


PERSON = Player()


@dataclass(frozen=True)
class InteractiveGame:
    """A game, who plays it, and the moves that were taken back. Immutable: every method returns another table."""

    history: History
    seats: tuple[Player, Player]
    """The player of each side, the one that begins first."""
    undone: tuple[str, ...] = ()
    """The moves that can be made again, the next one first."""

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.history.position

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended, or None."""
        return self.history.outcome(MOVE_LIMIT)

    @property
    def mover(self) -> Player:
        """Who is to move; where the game is over, who would be."""
        return self.seats[self.position.turn]

    @property
    def has_person(self) -> bool:
        """Tell whether a person plays at all."""
        return not all(player.is_bot for player in self.seats)

    def begun(self, history: History) -> "InteractiveGame":
        """Return the table with another game on it."""
        return InteractiveGame(history, self.seats)

    def after(self, move: str) -> "InteractiveGame":
        """Return the table after a move; raises `engine.games.interface.BadMove`.

        The moves that were taken back stay to be made again as long as the same ones are played.
        """
        history = self.history.after(move)
        return replace(self, history=history, undone=self.undone[1:] if self.undone[:1] == history.moves[-1:] else ())

    def undo(self) -> "InteractiveGame":
        """Take back the last move, and those before it up to one that a person chose; raises `NothingThere`.

        Between bots that is one move.
        """
        earlier = self._earlier()
        while earlier:
            history = earlier.pop()
            if self._is_stop(history):
                taken = self.history.moves[history.plies :]
                return replace(self, history=history, undone=taken + self.undone)
        raise NothingThere("there is no move of yours to take back" if self.history.moves else "no move was made yet")

    def redo(self) -> "InteractiveGame":
        """Make moves again that were taken back, up to where a person is to choose; raises `NothingThere`."""
        if not self.undone:
            raise NothingThere("no move was taken back")
        table = self.after(self.undone[0])
        while table.undone and not self._is_stop(table.history):
            table = table.after(table.undone[0])
        return table

    def _is_stop(self, history: History) -> bool:
        return not (self.has_person and self.seats[history.position.turn].is_bot)

    def _earlier(self) -> list[History]:
        """Return the game as it was before each of its moves."""
        begun = History.begin(self.history.start)
        return list(accumulate(self.history.moves[:-1], History.after, initial=begun)) if self.history.moves else []
