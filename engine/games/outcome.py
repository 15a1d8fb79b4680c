"""The outcome of a game: the winner and the rule."""

from enum import StrEnum
from typing import NamedTuple


class Termination(StrEnum):
    """The reasons for the end of any game, as in records and on the wire.

    Each game has a `StrEnum` of further reasons that follow from the board.
    """

    REPETITION = "repetition"
    """Draw: the same position stood on the board for the third time."""
    NO_PROGRESS = "no_progress"
    """Draw: there was no irreversible move for as many moves as the game allows."""
    MOVE_LIMIT = "move_limit"
    """Draw: the match reached its largest number of moves."""
    TIME = "time"
    """The loser's clock ran out."""
    BAD_MOVE = "bad_move"
    """The loser's move was illegal or could not be read."""
    RESIGN = "resign"
    """The loser resigned."""
    CRASHED = "crashed"
    """The loser's program reported a failure, or exited before the end of the game."""
    OUT_OF_MEMORY = "out_of_memory"
    """The loser's program exceeded its memory limit, and was killed."""
    TOO_MANY_PROCESSES = "too_many_processes"
    """The loser's program exceeded its limit of processes and threads, and was killed."""
    OUT_OF_CPU_TIME = "out_of_cpu_time"
    """The loser's program exceeded its limit of processor time for a game, and was killed."""
    FILE_TOO_LARGE = "file_too_large"
    """The loser's program exceeded its limit of file size, and was killed."""
    ADJUDICATED = "adjudicated"
    """A win or a draw: the solver has proven the value of the position."""
    ORGANISER = "organiser"
    """Annulled by the organiser."""
    SERVER_STOP = "server_stop"
    """Annulled: the server was stopped before the end of the game."""
    SERVER_FAULT = "server_fault"
    """Annulled: the server had an internal error."""


ANNULLED = frozenset({Termination.ORGANISER, Termination.SERVER_STOP, Termination.SERVER_FAULT})
"""Terminations without a result, not even a draw."""

ENDED_PROGRAM = frozenset(
    {
        Termination.CRASHED,
        Termination.OUT_OF_MEMORY,
        Termination.TOO_MANY_PROCESSES,
        Termination.OUT_OF_CPU_TIME,
        Termination.FILE_TOO_LARGE,
    }
)
"""Terminations of a program that the server started, and that ended before its game."""


class Outcome(NamedTuple):
    """The outcome of a game. The winner is 0 for the side that began, 1 for the other side, or None."""

    winner: int | None
    reason: StrEnum
    detail: str = ""
    """One sentence for people, with the rule, the move or the figures. May be empty."""

    def result(self, sides: tuple[str, str]) -> str:
        """Return the result as in records and on the wire: the name of a side, ``draw`` or ``annulled``."""
        if self.winner is not None:
            return sides[self.winner]
        return "annulled" if self.reason in ANNULLED else "draw"
