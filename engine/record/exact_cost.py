"""What moves have cost where a tablebase has every value, and the words in which commands and pages say so.

Nothing is searched and nothing is judged: a move keeps its side's result or does not, and brings a win later or a loss
sooner by so many plies or does not.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from engine.games.interface import WIN, Position, play
from engine.solve.tablebase.tablebase import Tablebase
from engine.wire.words import number_of


class MoveCost(NamedTuple):
    """What a move has cost the side that made it. Results are 1 for a win, 0 for a draw, -1 for a loss."""

    before: int
    """The result that the side could have had."""
    after: int
    """The result that the move leaves; no more than that before."""
    wasted: int
    """By how many plies the win comes later, or the loss sooner; 0 where the result has changed."""

    @property
    def words(self) -> str:
        """The cost in words."""
        if self.wasted:
            plies = number_of(self.wasted, "ply", "plies")
            return f"kept the win but wasted {plies}" if self.before > 0 else f"lost {plies} sooner"
        return _WORDS[self.before, self.after]


_WORDS = {
    (1, 1): "kept the win",
    (1, 0): "threw away the win",
    (1, -1): "lost a won game",
    (0, 0): "kept the draw",
    (0, -1): "threw away the draw",
    (-1, -1): "held out as long as possible",
}


class CostSum(NamedTuple):
    """What the moves of a side have cost together."""

    moves: int = 0
    kept: int = 0
    """Moves that kept the result."""
    wasted: int = 0
    """Plies by which wins came later, or losses sooner, all moves together."""
    wins_lost: int = 0
    """Moves after which a win was none any more."""
    draws_lost: int = 0
    """Moves that made a loss of a draw."""

    @classmethod
    def of(cls, costs: Iterable[MoveCost]) -> "CostSum":
        """Add costs up."""
        total = cls()
        for cost in costs:
            total = total.plus(cost)
        return total

    def plus(self, cost: MoveCost) -> "CostSum":
        """Return the sum with one move more."""
        is_kept = cost.before == cost.after
        return CostSum(
            self.moves + 1,
            self.kept + is_kept,
            self.wasted + cost.wasted,
            self.wins_lost + (cost.before == 1 and not is_kept),
            self.draws_lost + (cost.before == 0 and not is_kept),
        )

    @property
    def words(self) -> str:
        """The sum in words."""
        parts = [f"kept the result in {self.kept} of {self.moves}", f"plies wasted: {self.wasted}"]
        parts += [f"wins thrown away: {self.wins_lost}"] if self.wins_lost else []
        parts += [f"draws thrown away: {self.draws_lost}"] if self.draws_lost else []
        return ", ".join(parts)


def cost_of(tablebase: Tablebase, position: Position, move: str, earlier: Collection[int] = ()) -> MoveCost | None:
    """Return what a legal move of a position costs; None where that is not known.

    ``earlier`` has the keys (`engine.search.searcher.key_of`) of the positions before this one: a third time on the
    board is a draw.
    """
    known = tablebase.probe(position, earlier)
    score = tablebase.score_after(play(position, move), earlier)
    if not known or score is None:
        return None
    best = known[0].score
    before, after = _sign(best), _sign(score)
    same = before == after != 0
    return MoveCost(before, after, abs(_plies(best) - _plies(score)) if same else 0)


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def _plies(score: int) -> int:
    return WIN - abs(score)
