"""The proof of a position's result, and whether it holds for the game of the position. Pure.

Solving knows neither limits nor what stood on the board before: for it a side wins if it can force the end of the game,
and play that goes on for ever is a draw. A match has more draws: by repetition, lack of progress and its move limit.

*A draw holds always.* What a match has beside are draws alone. If a side could force a win in the match, the same moves
would force it without these draws.

*A win holds where none of these draws can come before it.* Say that the winner wins within n plies. Playing so that the
greatest number of plies to the win becomes less with each move, it comes to no position twice.

- Limits: an end on the board goes before them. So they are not in the way if there are n plies left up to each of them.
- Repetition: on the way to the win a position comes on the board once at most. To be a draw then, it has to have stood
  there twice, and since the last change of the stage: stages never come back. Where any position has, the win is left
  undecided. Only the present one does not matter, since the way does not lead through it again.
"""

from collections import Counter

import msgspec

from engine.games.history import REPETITIONS, History
from engine.wire.words import number_of

BY = "adjudicated by the server's exact solver"
"""The end of the sentence of each adjudicated game."""


class Proof(msgspec.Struct, frozen=True):
    """The result of perfect play from a position."""

    winner: int | None
    """The side that wins, 0 for the one that began the game; None for a draw."""
    plies: int | None = None
    """As many suffice for the win; None where that is not known, and for a draw."""
    exact: bool = False
    """Whether fewer do not."""


def ruling(history: History, move_limit: int, players: tuple[str, str], proof: Proof) -> str | None:
    """Return the outcome of a game whose position is proven; None if the proof does not hold for the game."""
    if proof.winner is None:
        return f"neither side can force a win from here, {BY}"
    if proof.plies is None or not _wins_in_time(history, move_limit, proof.plies):
        return None
    side = history.position.game.sides[proof.winner]
    length = f"{'in' if proof.exact else 'within'} {number_of(proof.plies, 'ply', 'plies')}"
    return f"{players[proof.winner]} ({side}) wins {length}, {BY}"


def _wins_in_time(history: History, move_limit: int, plies: int) -> bool:
    """Tell whether a win within a number of plies comes before the move limit, and before any draw by rule."""
    if history.plies + plies > move_limit:
        return False
    quiet_limit = history.position.game.quiet_limit
    if 0 < quiet_limit < history.quiet + plies:
        return False
    return max(Counter(history.keys).values(), default=0) < REPETITIONS - 1
