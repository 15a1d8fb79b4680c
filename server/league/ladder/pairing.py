"""Pairing of the ladder: the games with the most information, with a fair share for each owner (pure).

The owner with the fewest recent games is next, regardless of its number of bots. Its bot with the fewest games for
its uncertainty plays. The opponent is the player with the highest information: the expected decrease of the
variances of both ratings. It is highest for a near opponent with an uncertain rating, and for a fixed point. Recent
meetings divide the information, so that opponents take turns. An owner with more games than its share is no opponent,
and bots of one owner do not meet. Shares are counts that forget: each new game lowers the weight of older ones. A new
owner has some more games than others at first. Two games of a pair follow each other: one variant, then the same one
with colours swapped. Variants are chosen by their weights, for each player.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import partial
from typing import NamedTuple

from engine.statistics.elo import ELO
from engine.statistics.online import LadderPlayer, OnlineRating, decayed, starting

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
"""Counts below this part of a game are removed then, for example of a player that has left the ladder."""

EXCESS = 1.0
"""So many recent games more than the average an owner may have and still be an opponent."""

FIXED_POINT_PREFERENCE = 4.0
"""How much more a game with a fixed point is worth than what it tells about one player: it holds the whole scale.

With nine levels half of all games are with them, and in simulations the 95 % intervals hold the truth in 95 to 98 of a
hundred cases. With a preference of 1 ratings of neighbours drift together, and it is half of them."""

RESULT_VARIANCE = 8 / math.pi * ELO**2
"""Variance, in Elo squared, of the normal distribution that stands for the logistic one of results: as high at 0."""

NEVER = 1e-12
"""A result less likely than this tells nothing, since it does not happen."""


class ForgettingCounter:
    """Counts by key, in which older entries count for less and less."""

    def __init__(self, memory: float) -> None:
        """``memory``, above 1, is the limit of each count when all keys are counted equally often."""
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
        """Begin without a game."""
        self.owners = ForgettingCounter(OWNER_MEMORY)
        """Recent games by `share_key`."""
        self.bots: defaultdict[str, ForgettingCounter] = defaultdict(partial(ForgettingCounter, BOT_MEMORY))
        """Recent games of each bot among the games of its owner, by `share_key` and name."""
        self.opponents: defaultdict[str, ForgettingCounter] = defaultdict(partial(ForgettingCounter, OPPONENT_MEMORY))
        """Recent meetings by both names."""
        self.variants: defaultdict[str, ForgettingCounter] = defaultdict(partial(ForgettingCounter, VARIANT_MEMORY))
        """Recent games by name and variant."""
        self.begun: Counter[str] = Counter()
        """How much more often a player has begun than others have against it."""
        self._lead: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._met: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add(self, players: Mapping[str, LadderPlayer], variant: str, first: str, second: str) -> None:
        """Count a game; for players who are on the ladder no more nothing but who began counts."""
        for name, opponent in ((first, second), (second, first)):
            if name in players:
                self.opponents[name].add(opponent)
                self.variants[name].add(variant)
                if players[name].anchor is None:
                    key = share_key(players[name])
                    self.owners.add(key)
                    self.bots[key].add(name)
        self.begun[first] += 1
        self.begun[second] -= 1
        pair = (min(first, second), max(first, second))
        self._met[pair][variant] += 1
        self._lead[pair][variant] += 1 if first < second else -1

    def lead(self, one: str, other: str) -> Counter[str]:
        """Return by variant how much more often one of two players has begun against the other."""
        found = self._lead[min(one, other), max(one, other)]
        return Counter({variant: games if one < other else -games for variant, games in found.items()})

    def met(self, one: str, other: str, variant: str) -> int:
        """Return how many games two players have played in a variant, all of them."""
        return self._met[min(one, other), max(one, other)][variant]


def share_key(player: LadderPlayer) -> str:
    """Return what games are shared out to: an owner, however many bots it has, or a bot that belongs to nobody."""
    return f"owner {player.owner}" if player.owner else f"bot {player.name}"


class LadderPairing(NamedTuple):
    """A game that is to be played."""

    variant: str
    first: str
    """Name of the player who begins."""
    second: str


def next_pairings(
    players: Mapping[str, LadderPlayer],
    ratings: Mapping[str, OnlineRating],
    counts: GameCounts,
    running: Collection[LadderPairing],
    weights: Mapping[str, float],
    slots: int,
    now: float,
) -> list[LadderPairing]:
    """Return the next games, the most urgent first; fewer than ``slots`` where nobody is free.

    ``players`` may play now. ``ratings`` are not decayed. ``counts`` are of all finished games, ``weights`` of the
    variants, above 0. ``now`` is a Unix time in seconds. Nobody plays two games at the same time, but fixed points.
    """
    if slots < 1:
        return []
    known = {name: decayed(ratings.get(name) or starting(players, name), now) for name in players}
    owners = {name: share_key(player) for name, player in players.items() if player.anchor is None}
    state = _State(players, owners, known, (counts, GameCounts()), set())
    for pairing in running:
        state.begin(pairing)
    chosen: list[LadderPairing] = []
    while len(chosen) < slots and (found := _next_pairing(state, weights)) is not None:
        state.begin(found)
        chosen.append(found)
    return chosen


def opening(seed: int, counts: GameCounts, pairing: LadderPairing) -> int:
    """Return the opening of a game that is chosen: the same for both games of a pair, and then the next one.

    ``counts`` are those of all games that counted, ``seed`` is that of the ladder file.
    """
    met = counts.met(pairing.first, pairing.second, pairing.variant)
    return seed % 1000 + sum("".join(sorted(pairing[1:])).encode()) + met // 2


def information(one: OnlineRating, other: OnlineRating) -> float:
    """Return by how much a game is expected to lower the variances of two ratings together, in Elo squared.

    By the law of total variance that is the variance of what the ratings will be after the game, which is known for
    normal distributions of results.
    """
    variance, another = one.deviation**2, other.deviation**2
    spread = variance + another + RESULT_VARIANCE
    away = abs(one.elo - other.elo) / math.sqrt(spread)
    if (upset := math.erfc(away / math.sqrt(2)) / 2) < NEVER:
        return 0.0
    density = math.exp(-away * away / 2) / math.sqrt(2 * math.pi)
    return (variance**2 + another**2) / spread * density**2 / (upset * (1 - upset))


class _State(NamedTuple):
    """State of the ladder when a game is chosen."""

    players: Mapping[str, LadderPlayer]
    owners: Mapping[str, str]
    """Share keys by player; fixed points are left out."""
    ratings: Mapping[str, OnlineRating]
    counts: tuple[GameCounts, GameCounts]
    """Counts of finished games, and of running games."""
    busy: set[str]
    """Players of games that are being played."""

    def begin(self, pairing: LadderPairing) -> None:
        """Take a game for one that is being played."""
        self.counts[1].add(self.players, *pairing)
        self.busy.update(pairing[1:])

    def turn(self, name: str) -> tuple[float, str]:
        """Return when it is the turn of a bot, among those of its owner: the least value comes first."""
        games = sum(counts.bots[self.owners[name]][name] for counts in self.counts)
        return games / max(self.ratings[name].deviation, 1.0), name

    def value(self, name: str, opponent: str) -> tuple[float, str]:
        """Return how good an opponent is: the largest value is the best."""
        met = sum(counts.opponents[name][opponent] for counts in self.counts)
        preference = 1.0 if opponent in self.owners else FIXED_POINT_PREFERENCE
        return preference * information(self.ratings[name], self.ratings[opponent]) / (1 + met), opponent

    def need(self, pair: tuple[str, str], variant: str, weight: float) -> tuple[float, str]:
        """Return when it is the turn of a variant, for two players: the least value comes first."""
        return (sum(counts.variants[name][variant] for counts in self.counts for name in pair) + 1) / weight, variant


def _next_pairing(state: _State, weights: Mapping[str, float]) -> LadderPairing | None:
    """Return the most urgent game between players who are free; None where there is none."""
    free = [name for name in state.players if name not in state.owners or name not in state.busy]
    bots: dict[str, list[str]] = {}
    for name in free:
        if name in state.owners:
            bots.setdefault(state.owners[name], []).append(name)
    games = {owner: sum(counts.owners[owner] for counts in state.counts) for owner in set(state.owners.values())}
    most = sum(games.values()) / max(len(games), 1) + EXCESS
    for owner in sorted(bots, key=lambda owner: (games[owner], owner)):
        others = [name for name in free if state.owners.get(name) != owner]
        # where all have had more than their share, as before a third one came, any will do
        others = [name for name in others if name not in state.owners or games[state.owners[name]] <= most] or others
        if others:
            name = min(bots[owner], key=state.turn)
            return _game(state, name, max(others, key=partial(state.value, name)), weights)
    return None


def _game(state: _State, one: str, other: str, weights: Mapping[str, float]) -> LadderPairing:
    """Return the game that two players play next: in which variant, and who begins."""
    lead = state.counts[0].lead(one, other)
    lead.update(state.counts[1].lead(one, other))
    if halves := [variant for variant in sorted(weights) if lead[variant]]:
        variant = max(halves, key=lambda variant: abs(lead[variant]))
        ahead = lead[variant]
    else:
        variant = min(weights, key=lambda variant: state.need((one, other), variant, weights[variant]))
        ahead = sum(counts.begun[one] - counts.begun[other] for counts in state.counts)
    return LadderPairing(variant, other, one) if ahead > 0 else LadderPairing(variant, one, other)
