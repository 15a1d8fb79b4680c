"""How a game ends: who won, and by which rule."""

from enum import StrEnum
from typing import NamedTuple


class Termination(StrEnum):
    """The ways any game can end; the words stand in records and on the wire.

    Each game adds its own, the ends that the board itself shows, in a `StrEnum` of its own.
    """

    REPETITION = "repetition"
    """Draw: the same position stood on the board for the third time."""
    NO_PROGRESS = "no_progress"
    """Draw: for as many moves as the game allows nothing was changed that cannot be changed back."""
    MOVE_LIMIT = "move_limit"
    """Draw: the match reached the number of moves it was allowed."""
    TIME = "time"
    """The loser's clock ran out."""
    BAD_MOVE = "bad_move"
    """The loser's move was illegal or could not be read."""
    RESIGN = "resign"
    """The loser gave up."""
    CRASHED = "crashed"
    """The loser's program failed before the game was over: it said so, or it has ended, where the server started it."""
    OUT_OF_MEMORY = "out_of_memory"
    """The loser's program, which the server had started, used more memory than it was allowed, and was ended."""
    TOO_MANY_PROCESSES = "too_many_processes"
    """The loser's program had more processes and threads than it was allowed, and was ended."""
    OUT_OF_CPU_TIME = "out_of_cpu_time"
    """The loser's program used more processor time than it was allowed for a game, and was ended."""
    FILE_TOO_LARGE = "file_too_large"
    """The loser's program wrote a file that was larger than it was allowed, and was ended."""
    ADJUDICATED = "adjudicated"
    """A win or a draw: exact solving has proven what the position on the board is worth."""
    ORGANISER = "organiser"
    """Annulled: the organiser wanted it so."""
    SERVER_STOP = "server_stop"
    """Annulled: the server was stopped before the game ended."""
    SERVER_FAULT = "server_fault"
    """Annulled: something went wrong in the server itself."""


ANNULLED = frozenset({Termination.ORGANISER, Termination.SERVER_STOP, Termination.SERVER_FAULT})
"""Terminations after which a game has no result at all, not even a draw."""

ENDED_PROGRAM = frozenset(
    {
        Termination.CRASHED,
        Termination.OUT_OF_MEMORY,
        Termination.TOO_MANY_PROCESSES,
        Termination.OUT_OF_CPU_TIME,
        Termination.FILE_TOO_LARGE,
    }
)
"""Terminations by which a program loses that the server had started, and that ended before the game did."""


class Outcome(NamedTuple):
    """The end of a game: the winning side (0 who began, 1 the other) or None, and how it came about."""

    winner: int | None
    reason: StrEnum
    detail: str = ""
    """One sentence for people: which rule, which move, which figures. May be empty."""

    def result(self, sides: tuple[str, str]) -> str:
        """Name the result as it stands in records and on the wire: a side's name, ``draw`` or ``annulled``."""
        if self.winner is not None:
            return sides[self.winner]
        return "annulled" if self.reason in ANNULLED else "draw"
