"""The file of a duel's results, line by line, their sum, and the sum in words.

JSON lines: first the `Setting`, in which everything stands that a game depends on, then a `Pair` a line in the order
in which pairs were finished. What is counted are the pairs from number 0 on without a gap: so the result depends
neither on how many were played at a time nor on how often the duel was broken off, and short games do not count
before long ones.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.duel.game_file import GameFormat
from engine.duel.games import NAMES, Pair, Use
from engine.duel.statistics import OUTCOMES, Counts, Decision, Sprt, estimate


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


class Tally:
    """The sum of a duel's pairs, those from the first on without a gap."""

    def __init__(self, test: Sprt) -> None:
        """Begin without pairs."""
        self._test = test
        self._waiting: dict[int, Pair] = {}
        self.pairs = 0
        """How many pairs are counted."""
        self.wins = self.draws = self.losses = 0
        """Games, from the view of A."""
        self.used = (Use(), Use())
        """What both sides have used in all."""
        self.reasons: Counter[str] = Counter()
        """How games ended."""
        self.decision = Decision.OPEN
        """What the test said first; it is not asked again."""
        self._counts = [0] * OUTCOMES

    @property
    def counts(self) -> Counts:
        """How many pairs have had each result."""
        return tuple(self._counts)

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of the test."""
        return self._test.ratio(self.counts)

    def add(self, pair: Pair, *, stop: bool) -> None:
        """Count a pair as soon as those before it are there; with ``stop`` none after that with which the test ends."""
        self._waiting[pair.number] = pair
        while self.pairs in self._waiting and not (stop and self.decision != Decision.OPEN):
            self._count(self._waiting.pop(self.pairs))

    def _count(self, pair: Pair) -> None:
        self.pairs += 1
        self._counts[pair.points] += 1
        for game in pair.games:
            self.wins += game.winner == 0
            self.draws += game.winner is None
            self.losses += game.winner == 1
            self.reasons[game.reason] += 1
            self.used = (_sum(self.used[0], game.used[0]), _sum(self.used[1], game.used[1]))
        if self.decision == Decision.OPEN:
            self.decision = self._test.decide(self.ratio)


def _sum(one: Use, other: Use) -> Use:
    return Use(one.moves + other.moves, one.ms + other.ms, one.nodes + other.nodes)


def progress(tally: Tally, test: Sprt) -> str:
    """Return a line on where a duel stands; nothing is estimated before the first pair."""
    words = [f"games {2 * tally.pairs}", score(tally)]
    if tally.pairs:
        words += [strength(tally), f"llr {tally.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f})"]
    return "  ".join(words)


def summary(tally: Tally) -> Iterator[str]:
    """Yield the lines at the end of a duel of at least one pair, that with the result last."""
    yield "pairs with 0 to 2 points for A, by halves: " + " ".join(map(str, tally.counts))
    yield "games ended by " + ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common())
    for name, used in zip(NAMES, tally.used, strict=True):
        ms, nodes = used.ms / max(1, used.moves), used.nodes / max(1, used.moves)
        yield f"{name} used {ms:.2f} ms and {nodes:.0f} nodes a move"
    yield f"result {score(tally)}  {strength(tally)}  sprt {tally.decision}"


def score(tally: Tally) -> str:
    """Return the games that A has won, drawn and lost."""
    return f"A +{tally.wins} ={tally.draws} -{tally.losses}"


def strength(tally: Tally) -> str:
    """Return how much stronger A is, with the 95 % interval, and how likely it is that A is stronger at all."""
    elo, margin, los = estimate(tally.counts)
    return f"elo {elo:.1f} +- {margin:.1f}  los {100 * los:.1f}%"
