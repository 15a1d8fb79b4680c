"""The file of a duel's results, line by line, their sum, and the sum in words.

JSON lines: first the `Setting`, in which everything stands that a game depends on, then a `Pair` a line in the order
in which pairs were finished. What is counted are the pairs from number 0 on without a gap: so the result depends
neither on how many were played at a time nor on how often the duel was broken off, and short games do not count
before long ones.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from engine.duel.game_file import BadGames, read_games, read_setting
from engine.duel.games import NAMES, Pair, Use
from engine.duel.sprt import Decision, Sprt
from engine.duel.statistics import OUTCOMES, Counts, estimate
from engine.games.outcome import Termination
from engine.wire.words import number_of


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


_SETTINGS = msgspec.json.Decoder(Setting)
_PAIRS = msgspec.json.Decoder(Pair)


def setting_of(content: bytes) -> Setting:
    """Return the setting of a file; raises `BadGames`."""
    return read_setting(content, _SETTINGS, "a duel")


def pairs_of(content: bytes) -> list[Pair]:
    """Return the pairs in a file; a last line without a newline, half written, is left out. Raises `BadGames`."""
    return read_games(content, _PAIRS, "pair of games of a duel")


def read(content: bytes, setting: Setting) -> list[Pair]:
    """Return the pairs in a file of the same setting; a last line without a newline, half written, is left out.

    Raises `BadGames`: for a file of another duel, and for one that is none.
    """
    differences = list(_differences(setting_of(content), setting))
    if differences:
        raise BadGames(
            f"this file holds another duel: {'; '.join(differences)}. Name another file, or ask for the same"
        )
    return pairs_of(content)


def _differences(there: Setting, here: Setting) -> Iterable[str]:
    """Say in what two settings differ."""
    for side, name in (("a", NAMES[0]), ("b", NAMES[1])):
        ours, theirs = (msgspec.structs.asdict(getattr(setting, side)) for setting in (here, there))
        if ours["side"] != theirs["side"]:
            yield f"{name} is {theirs['side']} there, and {ours['side']} here"
        elif ours["weights"] != theirs["weights"]:
            yield f"the weights of {name} have changed since"
    if there.engine != here.engine:
        yield "the engine has changed since"
    for field in msgspec.structs.fields(Setting):
        if field.name not in ("a", "b", "engine"):
            ours, theirs = getattr(here, field.name), getattr(there, field.name)
            if ours != theirs:
                yield f"{field.name.replace('_', ' ')} is {theirs} there, and {ours} here"


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
        self.time_losses = [0, 0]
        """Games that either side has lost because its budget was used up."""
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
            self.time_losses[0] += game.winner == 1 and game.reason == Termination.TIME
            self.time_losses[1] += game.winner == 0 and game.reason == Termination.TIME
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
    for name, used, lost in zip(NAMES, tally.used, tally.time_losses, strict=True):
        ms, nodes = used.ms / max(1, used.moves), used.nodes / max(1, used.moves)
        yield f"{name} used {ms:.2f} ms and {nodes:.0f} nodes a move, and lost {number_of(lost, 'game')} on time"
    yield f"result {score(tally)}  {strength(tally)}  sprt {tally.decision}"


def score(tally: Tally) -> str:
    """Return the games that A has won, drawn and lost."""
    return f"A +{tally.wins} ={tally.draws} -{tally.losses}"


def strength(tally: Tally) -> str:
    """Return how much stronger A is, with the 95 % interval, and how likely it is that A is stronger at all."""
    elo, margin, los = estimate(tally.counts)
    return f"elo {elo:.1f} +- {margin:.1f}  los {100 * los:.1f}%"
