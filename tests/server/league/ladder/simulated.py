"""Ladders without a server: bots whose strengths are known, and results that are drawn from them."""

import math
from collections import Counter
from collections.abc import Mapping
from random import Random

from engine.statistics.online import LadderGame, LadderPlayer, starting, update
from server.league.ladder.pairing import GameCounts, LadderPairing, next_pairings

VARIANT = "gipf 3 3 9 9"

LEVELS = {f"alphabeta:{level}": 450.0 * level for level in range(1, 10)}
"""About as far apart as they are."""


class Ladder:
    """A ladder in memory, with bots whose true strengths are spread evenly, and levels as fixed points."""

    def __init__(
        self,
        owners: Mapping[str, int],
        seed: int,
        *,
        levels: Mapping[str, float] = LEVELS,
        weights: Mapping[str, float] | None = None,
        slots: int = 2,
    ) -> None:
        """``owners`` says how many bots each has."""
        self.chance = Random(seed)
        bots = [LadderPlayer(f"{owner}-{bot}", owner) for owner, number in owners.items() for bot in range(number)]
        self.true = {bot.name: self.chance.uniform(450, 2250) for bot in bots} | dict(levels)
        self.bots = [bot.name for bot in bots]
        self.players = {bot.name: bot for bot in bots}
        self.players |= {name: LadderPlayer(name, "", elo) for name, elo in levels.items()}
        self.ratings = {name: starting(self.players, name) for name in self.players}
        self.weights = weights or {VARIANT: 1.0}
        self.slots = slots
        self.counts = GameCounts()
        self.running: list[LadderPairing] = []
        self.games: list[LadderGame] = []

    def play(self, games: int) -> None:
        """Play so many games, each of which takes as long as chance has it."""
        for _ in range(games):
            free = self.slots - len(self.running)
            now = 20.0 * len(self.games)
            self.running += next_pairings(
                self.players, self.ratings, self.counts, self.running, self.weights, free, now
            )
            self.end(self.running.pop(self.chance.randrange(len(self.running))))

    def end(self, pairing: LadderPairing) -> None:
        """Draw the result of a game and count it."""
        number = len(self.games) + 1
        score = self._score(self.true[pairing.first] - self.true[pairing.second])
        game = LadderGame(number, pairing.variant, pairing.first, pairing.second, score, 20.0 * number)
        self.games.append(game)
        self.counts.add(self.players, *pairing)
        self.ratings |= update(self.ratings, game, self.players)

    def error(self) -> float:
        """Return how far ratings of bots are from the truth, in Elo: the root of the mean square."""
        return math.sqrt(sum((self.ratings[bot].elo - self.true[bot]) ** 2 for bot in self.bots) / len(self.bots))

    def held(self) -> float:
        """Return for which part of the bots the 95 % interval holds the truth."""
        inside = [abs(self.ratings[bot].elo - self.true[bot]) < 1.96 * self.ratings[bot].deviation for bot in self.bots]
        return sum(inside) / len(inside)

    def games_of(self) -> Counter[str]:
        """Return how many games everybody has."""
        return Counter(name for game in self.games for name in (game.first, game.second))

    def games_of_owners(self) -> Counter[str]:
        """Return how many games the bots of each owner have."""
        found: Counter[str] = Counter()
        for name, games in self.games_of().items():
            found[self.players[name].owner] += games
        return found

    def _score(self, difference: float) -> float:
        """Draw the score of somebody who is stronger by a difference in Elo; one in ten games of equals is a draw."""
        expected = 1 / (1 + 10 ** (-difference / 400))
        drawn = 0.4 * expected * (1 - expected)
        number = self.chance.random()
        return 1.0 if number < expected - drawn / 2 else 0.5 if number < expected + drawn / 2 else 0.0
