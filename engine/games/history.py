"""The history of a game: its positions, draws by repetition, its text form, and interactive games.

The text form is the start position, then a line ``moves:``, then a line for each move. Without moves it is the text
form of the position. In arrows, moves on the line ``moves:`` itself belong to the start position.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import accumulate

from msgspec import Struct

from engine.games.interface import BadMove, BadPosition, Game, Position
from engine.games.outcome import Outcome, Termination

REPETITIONS = 3
"""Occurrences of a position that make a draw."""


class History(Struct, frozen=True):
    """A game from its start position on. Immutable: `after` returns a longer one."""

    start: Position
    position: Position
    moves: tuple[str, ...] = ()
    keys: tuple[Hashable, ...] = ()
    """Keys of the earlier positions of the present stage, in order. Positions of other stages cannot be repeated."""

    @classmethod
    def begin(cls, position: Position) -> "History":
        """Return the history of a game that starts in a position."""
        return cls(position, position)

    def after(self, move: str) -> "History":
        """Return the history with one more move; raises `engine.games.interface.BadMove`."""
        text, position = self.position.child(move)
        before = self.position
        keys = (*self.keys, before.key) if position.stage == before.stage else ()
        return History(self.start, position, (*self.moves, text), keys)

    @property
    def plies(self) -> int:
        """Number of moves of both sides."""
        return len(self.moves)

    @property
    def quiet(self) -> int:
        """Number of moves since the present stage began."""
        return len(self.keys)

    def outcome(self, move_limit: int) -> Outcome | None:
        """Return the outcome of the game, or None. ``move_limit`` is in plies.

        The rules apply in this order: the board, repetition, no progress, move limit.
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
    """Return the text form of a game, with a newline after each line."""
    return history.start.text() + "".join(f"{line}\n" for line in ([MOVES, *history.moves] if history.moves else []))


def read_game(game: Game, text: str) -> History:
    """Read the text form of a game; raises `BadPosition` with the wrong line, and for a bad move with its code."""
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
"""Moves of both sides after which an interactive game is a draw, as usual on the server."""


class NoMoveLeft(Exception):
    """There is no move to undo, or none to redo. ``str(error)`` is a sentence for people."""


@dataclass(frozen=True)
class Player:
    """The player of a side: a person, or a bot with a number of seconds for each move or with a level."""

    seconds: float = 0.0
    """Seconds for each move; 0 for a person, and for a bot with a level."""
    level: int | None = None
    """A level of `engine.levels` below the highest one; None for a person, and for a bot with a time."""

    @property
    def is_bot(self) -> bool:
        """Whether the player is a bot."""
        return self.seconds > 0 or self.level is not None

    def __str__(self) -> str:
        """Return the player as on command lines: ``person``, ``bot:1``, ``level:3``."""
        if self.level is not None:
            return f"level:{self.level}"
        return f"bot:{self.seconds:g}" if self.is_bot else "person"


PERSON = Player()


@dataclass(frozen=True)
class InteractiveGame:
    """A game with its players, and with moves that were taken back. Immutable."""

    history: History
    players: tuple[Player, Player]
    """The player of each side."""
    undone: tuple[str, ...] = ()
    """The moves that can be redone, the next one first."""

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.history.position

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game, or None."""
        return self.history.outcome(MOVE_LIMIT)

    @property
    def mover(self) -> Player:
        """The player to move."""
        return self.players[self.position.turn]

    @property
    def has_person(self) -> bool:
        """Whether a person plays."""
        return not all(player.is_bot for player in self.players)

    def begun(self, history: History) -> "InteractiveGame":
        """Return another game of the same players."""
        return InteractiveGame(history, self.players)

    def after(self, move: str) -> "InteractiveGame":
        """Return the game after a move; raises `engine.games.interface.BadMove`.

        The moves to redo remain if the move is the first of them.
        """
        history = self.history.after(move)
        return replace(self, history=history, undone=self.undone[1:] if self.undone[:1] == history.moves[-1:] else ())

    def undo(self) -> "InteractiveGame":
        """Take back all moves from the last move of a person on; raises `NoMoveLeft`.

        In a game of two bots, take back one move.
        """
        earlier = self._earlier()
        while earlier:
            history = earlier.pop()
            if self._is_stop(history):
                return replace(self, history=history, undone=self.history.moves[history.plies :] + self.undone)
        raise NoMoveLeft("there is no move of yours to take back" if self.history.moves else "no move was made yet")

    def redo(self) -> "InteractiveGame":
        """Play undone moves until a person is to move; raises `NoMoveLeft`."""
        if not self.undone:
            raise NoMoveLeft("no move was taken back")
        game = self.after(self.undone[0])
        while game.undone and not self._is_stop(game.history):
            game = game.after(game.undone[0])
        return game

    def _is_stop(self, history: History) -> bool:
        return not (self.has_person and self.players[history.position.turn].is_bot)

    def _earlier(self) -> list[History]:
        """Return the history before each move."""
        begun = History.begin(self.history.start)
        return list(accumulate(self.history.moves[:-1], History.after, initial=begun)) if self.history.moves else []
