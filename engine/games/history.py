"""A game so far: the positions that stood on the board, the draws that only they show, and the game as text.

As text a game is the position in which it began and, behind a line ``moves:``, its moves, a line each. Without moves it
is the game's own text form of a position. Where that form has moves as well, as that of arrows, on a line that begins
with ``moves:``, these belong to the position.
"""

from collections.abc import Hashable
from typing import NamedTuple

from engine.games.interface import BadMove, BadPosition, Game, Position
from engine.games.outcome import Outcome, Termination

REPETITIONS = 3
"""A position that stands on the board for this many times is a draw."""


class History(NamedTuple):
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
        text, position = self.position.resolve(move)
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

    def verdict(self, move_limit: int) -> Outcome | None:
        """Return how the game has ended, or None. ``move_limit`` is in plies.

        What the board shows goes before a repetition, that before a lack of progress, and that before the limit.
        """
        outcome = self.position.verdict()
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
