"""Who has played lately, whom and what: by this the scheduler of the ladder shares games out.

Shares are counts that forget: each new game makes the older ones count for a little less. So somebody who comes, or
comes back, has a few more games than others at first, and does not take all of them until it has as many.
"""

from collections import Counter
from collections.abc import Mapping

from server.league.ladder.players import LadderPlayer

OWNER_MEMORY = 20.0
"""So many games of each owner are remembered."""

BOT_MEMORY = 20.0
"""So many games of each bot of an owner."""

OPPONENT_MEMORY = 4.0
"""So many meetings with each opponent."""

VARIANT_MEMORY = 20.0
"""So many games of a player in each variant."""

MAX_UNIT = 1e100
"""The unit of a count is made 1 again when it is larger than this."""

FORGOTTEN = 1e-3
"""What then counts for less than so much of a game is left out."""


class ForgettingCounter:
    """Counts by key, in which older entries count for less and less."""

    def __init__(self, memory: float) -> None:
        """``memory``, above 1, is what each count tends to when all keys are counted equally often."""
        self._memory = memory
        self._unit = 1.0
        self._sums: dict[str, float] = {}

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

    def __init__(self) -> None:
        self._owners = ForgettingCounter(OWNER_MEMORY)
        self._bots: dict[str, ForgettingCounter] = {}
        self._opponents: dict[str, ForgettingCounter] = {}
        self._variants: dict[str, ForgettingCounter] = {}
        self._lead: dict[tuple[str, str], dict[str, int]] = {}
        self._begun: Counter[str] = Counter()

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
        lead = self._lead.setdefault((min(first, second), max(first, second)), {})
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


def share_key(player: LadderPlayer) -> str:
    """Return what games are shared out to: an owner, however many bots it has, or a bot that belongs to nobody."""
    return f"owner {player.owner}" if player.owner else f"bot {player.name}"
