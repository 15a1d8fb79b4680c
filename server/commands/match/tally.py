"""The results of a match and what follows from them: score, Elo, the sequential test, time, causes of losses. Pure.

Elo and its 95 % interval come from pairs of games, as in a duel (`engine.duel.statistics`): both games of a pair have
the same opening, so they are not independent. Pairs enter the test in the order of the schedule, without a gap: its
decision depends neither on how many games are played at a time nor on which ends first.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from engine.duel.statistics import OUTCOMES, Counts, Decision, Estimate, Sprt, estimate
from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.scoring.disqualification import Cause, losses

NO_FAULTS = frozenset({Cause.BOARD, Cause.RESIGN, Cause.ADJUDICATED})
"""Causes of losses that are no fault of the player's program."""


class PlayedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game of a match that is over: a line of its file of results."""

    number: int
    """Its place in the schedule, from 1."""
    players: tuple[str, str]
    """Names; that of the first side of the game comes first."""
    variant: str
    """Its parameters."""
    points: tuple[float, float]
    """Of both sides: 1, 0.5 or 0."""
    reason: str
    """How it ended, in a word."""
    sentence: str
    """The same for people."""
    causes: tuple[str, str]
    """Why each side has lost, a word of `server.contest.scoring.disqualification.Cause`; empty where it has not."""
    plies: int
    moves: tuple[int, int]
    """Of each side."""
    used_ms: tuple[float, float]
    """Milliseconds that each side has used."""

    @property
    def pair(self) -> int:
        """The number of its pair, from 0."""
        return (self.number - 1) // 2


def played_game(definition: Definition, number: int, game: GameResult, first_to_move: int) -> PlayedGame:
    """Return a game of the schedule that is over; ``first_to_move`` is the side that its opening has to move."""
    causes = {loss.side: loss for loss in losses(definition, game)}
    first = (game.plies + 1) // 2
    moves = (first, game.plies - first) if first_to_move == 0 else (game.plies - first, first)
    sentence = next(iter(causes.values())).sentence if causes else game.detail or game.termination.replace("_", " ")
    return PlayedGame(
        number=number,
        players=game.fixture.players,
        variant=definition.variants[game.fixture.variant].parameters,
        points=(game.points(0), game.points(1)),
        reason=game.termination,
        sentence=sentence,
        causes=(causes[0].cause if 0 in causes else "", causes[1].cause if 1 in causes else ""),
        plies=game.plies,
        moves=moves,
        used_ms=(game.used[0] / 1000, game.used[1] / 1000),
    )


class Fault(NamedTuple):
    """A game that a player has lost by a fault of its program."""

    number: int
    cause: str
    sentence: str


class Row(NamedTuple):
    """A player in the table."""

    name: str
    wins: int
    draws: int
    losses: int
    points: float
    counts: Counts
    """How many of its pairs have had each result, that of 0 points first."""
    causes: Counter[str]
    """How often it has lost by each cause."""
    faults: tuple[Fault, ...]
    """Losses by faults of its program, in the order of the games."""
    moves: int
    used_ms: float

    @property
    def games(self) -> int:
        """The number of its games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Its part of the points, 0 to 1; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def estimate(self) -> Estimate | None:
        """Its strength against its opponents; None before its first pair."""
        return estimate(self.counts) if any(self.counts) else None

    @property
    def ms_a_move(self) -> float:
        """Milliseconds a move, on average; its initialisation is in them."""
        return self.used_ms / self.moves if self.moves else 0.0


class Tally:
    """The results of a match so far."""

    def __init__(self, names: Sequence[str], test: Sprt | None) -> None:
        """Begin without games; a test is one of the first player, of two."""
        self._names = tuple(names)
        self._test = test
        self._games: dict[int, PlayedGame] = {}
        self.tested_pairs = 0
        """The number of pairs that have entered the test."""
        self._counts = [0] * OUTCOMES
        self.decision = Decision.OPEN
        """What the test has said first; it is not asked again."""

    @property
    def games(self) -> tuple[PlayedGame, ...]:
        """The games that count, in order: all, or those up to the pair with which the test has ended."""
        end = math.inf if self.decision is Decision.OPEN else 2 * self.tested_pairs
        return tuple(self._games[number] for number in sorted(self._games) if number <= end)

    @property
    def count(self) -> int:
        """The number of games that count."""
        return len(self._games if self.decision is Decision.OPEN else self.games)

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of the test; 0 without one."""
        return self._test.ratio(tuple(self._counts)) if self._test is not None else 0.0

    def add(self, game: PlayedGame) -> None:
        """Count a game."""
        self._games[game.number] = game
        while self._test is not None and self.decision is Decision.OPEN:
            points = self._pair_points(self.tested_pairs, self._names[0])
            if points is None:
                return
            self._counts[points] += 1
            self.tested_pairs += 1
            self.decision = self._test.decide(self.ratio)

    def rows(self) -> list[Row]:
        """Return the table, in the order in which players were named."""
        games = self.games
        return [self._row(name, games) for name in self._names]

    def _row(self, name: str, games: Iterable[PlayedGame]) -> Row:
        results: Counter[float] = Counter()
        causes: Counter[str] = Counter()
        faults = []
        pairs: set[int] = set()
        moves, used = 0, 0.0
        for game in games:
            if name not in game.players:
                continue
            side = game.players.index(name)
            results[game.points[side]] += 1
            pairs.add(game.pair)
            moves += game.moves[side]
            used += game.used_ms[side]
            if cause := game.causes[side]:
                causes[cause] += 1
                if cause not in NO_FAULTS:
                    faults.append(Fault(game.number, cause, game.sentence))
        counts = [0] * OUTCOMES
        for pair in pairs:
            if (points := self._pair_points(pair, name)) is not None:
                counts[points] += 1
        won, drawn, lost = results[1.0], results[0.5], results[0.0]
        return Row(name, won, drawn, lost, won + drawn / 2, tuple(counts), causes, tuple(faults), moves, used)

    def _pair_points(self, pair: int, name: str) -> int | None:
        """Return what a player has got in a pair, in halves of points, 0 to 4; None where it is not over."""
        both = [self._games.get(2 * pair + place) for place in (1, 2)]
        if any(game is None for game in both):
            return None
        return sum(round(2 * game.points[game.players.index(name)]) for game in both if game is not None)
