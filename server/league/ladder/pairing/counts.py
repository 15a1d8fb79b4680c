"""Who has played lately, whom and what: by this the scheduler of the ladder shares games out.

Shares are counts that forget: each new game makes the older ones count for a little less. So somebody who comes, or
comes back, has a few more games than others at first, and does not take all of them until it has as many.

Counts follow from the games in their order and from nothing else, so that whoever has these has the same counts, to the
last bit: a server that is started again, and who verifies a month.
"""

from collections import Counter
from collections.abc import Mapping

import msgspec

from server.league.ladder.players import LadderPlayer

OWNER_MEMORY = 20.0
"""So many games of each owner are remembered."""

BOT_MEMORY = 20.0
"""So many games of each bot of an owner."""

OPPONENT_MEMORY = 4.0
"""So many meetings with each opponent."""

VARIANT_MEMORY = 20.0
"""So many games of a player in each variant."""

MAX_UNIT = 1e6
"""The unit of a count is made 1 again when it is larger than this, which is after some 14 of its memories."""

FORGOTTEN = 1e-3
"""What then counts for less than so much of a game is left out: whoever has left the ladder, say."""


class Remembered(msgspec.Struct, frozen=True, array_like=True):
    """A `ForgettingCounter` as plain data."""

    unit: float
    sums: dict[str, float]


NOTHING = Remembered(1.0, {})


class KeptCounts(msgspec.Struct, frozen=True):
    """`GameCounts` as plain data."""

    owners: Remembered
    bots: dict[str, Remembered]
    opponents: dict[str, Remembered]
    variants: dict[str, Remembered]
    begun: dict[str, int]
    pairs: tuple[tuple[str, str, str, int, int], ...]
    """Of two players, the first one by name first, in a variant: how much more often that one has begun, and games."""


class ForgettingCounter:
    """Counts by key, in which older entries count for less and less."""

    def __init__(self, memory: float, known: Remembered = NOTHING) -> None:
        """``memory``, above 1, is what each count tends to when all keys are counted equally often."""
        self._memory = memory
        self._unit = known.unit
        self._sums = dict(known.sums)

    def kept(self) -> Remembered:
        """Return it as plain data."""
        return Remembered(self._unit, dict(sorted(self._sums.items())))

    def add(self, key: str) -> None:
        """Count a key once."""
        self._sums.setdefault(key, 0.0)
        self._unit /= 1 - 1 / (self._memory * len(self._sums))
        self._sums[key] += self._unit
        if self._unit > MAX_UNIT:
            least = FORGOTTEN * self._unit
            self._sums = {key: value / self._unit for key, value in self._sums.items() if value > least}
            self._unit = 1.0

    def __getitem__(self, key: str) -> float:
        """Return how often a key was counted, as far as that is not forgotten."""
        return self._sums.get(key, 0.0) / self._unit


class GameCounts:
    """Counts of games of the ladder: of all that counted, say, or of those that are being played."""

    def __init__(self, known: KeptCounts | None = None) -> None:
        """Begin without a game, or go on from what `kept` has returned."""
        known = known or KeptCounts(NOTHING, {}, {}, {}, {}, ())
        self._owners = ForgettingCounter(OWNER_MEMORY, known.owners)
        self._bots = _counters(BOT_MEMORY, known.bots)
        self._opponents = _counters(OPPONENT_MEMORY, known.opponents)
        self._variants = _counters(VARIANT_MEMORY, known.variants)
        self._begun = Counter(known.begun)
        self._lead: dict[tuple[str, str], dict[str, int]] = {}
        self._met: dict[tuple[str, str], Counter[str]] = {}
        for one, other, variant, lead, met in known.pairs:
            if lead:
                self._lead.setdefault((one, other), {})[variant] = lead
            self._met.setdefault((one, other), Counter())[variant] = met

    def kept(self) -> KeptCounts:
        """Return it as plain data, the same for the same games."""
        pairs = [
            (*pair, variant, self._lead.get(pair, {}).get(variant, 0), games)
            for pair, variants in sorted(self._met.items())
            for variant, games in sorted(variants.items())
        ]
        return KeptCounts(
            self._owners.kept(),
            _kept(self._bots),
            _kept(self._opponents),
            _kept(self._variants),
            dict(sorted(self._begun.items())),
            tuple(pairs),
        )

    def add(self, players: Mapping[str, LadderPlayer], variant: str, first: str, second: str) -> None:
        """Count a game; for players who are on the ladder no more nothing but who began counts."""
        for name, opponent in ((first, second), (second, first)):
            if name in players:
                self._opponents.setdefault(name, ForgettingCounter(OPPONENT_MEMORY)).add(opponent)
                self._variants.setdefault(name, ForgettingCounter(VARIANT_MEMORY)).add(variant)
                if players[name].anchor is None:
                    key = share_key(players[name])
                    self._owners.add(key)
                    self._bots.setdefault(key, ForgettingCounter(BOT_MEMORY)).add(name)
        self._begun[first] += 1
        self._begun[second] -= 1
        pair = (min(first, second), max(first, second))
        self._met.setdefault(pair, Counter())[variant] += 1
        lead = self._lead.setdefault(pair, {})
        lead[variant] = lead.get(variant, 0) + (1 if first < second else -1)
        if lead[variant] == 0:
            del lead[variant]

    def of_owner(self, key: str) -> float:
        """Return how many recent games an owner has, by `share_key`."""
        return self._owners[key]

    def of_bot(self, key: str, name: str) -> float:
        """Return how many recent games a bot has, among the recent ones of its owner."""
        return self._bots[key][name] if key in self._bots else 0.0

    def of_pair(self, name: str, opponent: str) -> float:
        """Return how often a player has met another, among its recent games."""
        return self._opponents[name][opponent] if name in self._opponents else 0.0

    def of_variant(self, name: str, variant: str) -> float:
        """Return how often a player has played a variant, among its recent games."""
        return self._variants[name][variant] if name in self._variants else 0.0

    def begun(self, name: str) -> int:
        """Return how much more often a player has begun than others have against it."""
        return self._begun[name]

    def lead(self, one: str, other: str) -> dict[str, int]:
        """Return by variant how much more often one of two players has begun against the other, where that is not 0."""
        found = self._lead.get((min(one, other), max(one, other)), {})
        return {variant: games if one < other else -games for variant, games in found.items()}

    def met(self, one: str, other: str, variant: str) -> int:
        """Return how many games two players have played in a variant, all of them."""
        found = self._met.get((min(one, other), max(one, other)))
        return found[variant] if found else 0


def _counters(memory: float, known: Mapping[str, Remembered]) -> dict[str, ForgettingCounter]:
    return {key: ForgettingCounter(memory, one) for key, one in known.items()}


def _kept(counters: Mapping[str, ForgettingCounter]) -> dict[str, Remembered]:
    return {key: counter.kept() for key, counter in sorted(counters.items())}


def share_key(player: LadderPlayer) -> str:
    """Return what games are shared out to: an owner, however many bots it has, or a bot that belongs to nobody."""
    return f"owner {player.owner}" if player.owner else f"bot {player.name}"
