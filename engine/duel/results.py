"""The file of a duel's results, line by line, their sum, and the sum in words.

JSON lines: first the `Setting`, in which everything stands that a game depends on, then a `Pair` a line in the order
in which pairs were finished. What is counted are the pairs from number 0 on without a gap: so the result depends
neither on how many were played at a time nor on how often the duel was broken off, and short games do not count
before long ones.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.duel.game_file import GameFormat
from engine.duel.games import NAMES, Pair
from engine.statistics.elo import Sprt, Tally, estimate


class Contender(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side, as far as its moves depend on it."""

    side: str
    """The text of the side."""
    weights: dict[str, Any]
    """What the file of its weights holds."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="duel"):
    """What every game of a duel depends on, and when it ends by itself."""

    engine: str
    """A digest of the engine's sources."""
    game: str
    parameters: str
    a: Contender
    b: Contender
    seed: int
    opening_plies: int
    balance: int | None
    """The most that an opening may be worth to a side; None for the median of the first ones."""
    move_limit: int
    elo0: float
    elo1: float
    alpha: float
    beta: float

    @property
    def test(self) -> Sprt:
        """The test of a difference in strength."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta)


FILE = GameFormat(msgspec.json.Decoder(Setting), msgspec.json.Decoder(Pair), "duel", "pair")
"""The file of results."""


class Standing(NamedTuple):
    """The pairs of a duel that count, in their order, and the test on them."""

    pairs: Sequence[Pair]
    tally: Tally

    @property
    def score(self) -> str:
        """The games that A has won, drawn and lost."""
        wins = Counter(game.winner for pair in self.pairs for game in pair.games)
        return f"A +{wins[0]} ={wins[None]} -{wins[1]}"

    @property
    def strength(self) -> str:
        """The strength of A over B with the 95 % interval, and the likelihood of superiority."""
        elo, margin, los = estimate(self.tally.counts)
        return f"elo {elo:.1f} +- {margin:.1f}  los {100 * los:.1f}%"

    def progress(self, test: Sprt) -> str:
        """Return a line on the progress of a duel; nothing is estimated before the first pair."""
        words = [f"games {2 * len(self.pairs)}", self.score]
        if self.pairs:
            words += [self.strength, f"llr {self.tally.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f})"]
        return "  ".join(words)

    def summary(self) -> Iterator[str]:
        """Yield the lines at the end of a duel of at least one pair; the last one is the result."""
        games = [game for pair in self.pairs for game in pair.games]
        reasons = Counter(game.reason for game in games)
        yield "pairs with 0 to 2 points for A, by halves: " + " ".join(map(str, self.tally.counts))
        yield "games ended by " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        for side, name in enumerate(NAMES):
            moves = max(1, sum(game.used[side].moves for game in games))
            ms, nodes = sum(game.used[side].ms for game in games), sum(game.used[side].nodes for game in games)
            yield f"{name} used {ms / moves:.2f} ms and {nodes / moves:.0f} nodes a move"
        yield f"result {self.score}  {self.strength}  sprt {self.tally.decision}"
