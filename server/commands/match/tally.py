"""The results of a match and what follows from them: score, Elo, the sequential test, time, causes of losses. Pure.

Elo and its 95 % interval come from pairs of games, as in a duel (`engine.statistics.elo`): both games of a pair have
the same opening, so they are not independent. Pairs enter the test in the order of the schedule, without a gap: its
decision depends neither on how many games are played at a time nor on which ends first.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from engine.statistics import elo as pairs
from engine.statistics.elo import Counts, Decision, Estimate, Sprt, count_pairs, estimate
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
        self._games: dict[int, PlayedGame] = {}
        self.pairs = pairs.Tally(test)
        """The pairs of the first player in their order, without a gap."""

    @property
    def games(self) -> tuple[PlayedGame, ...]:
        """The games that count, in order: all, or those up to the pair with which the test has ended."""
        end = math.inf if self.pairs.decision is Decision.OPEN else 2 * self.pairs.pairs
        return tuple(self._games[number] for number in sorted(self._games) if number <= end)

    @property
    def count(self) -> int:
        """The number of games that count."""
        return len(self._games if self.pairs.decision is Decision.OPEN else self.games)

    def add(self, game: PlayedGame) -> None:
        """Count a game."""
        self._games[game.number] = game
        both = [self._games.get(2 * game.pair + place) for place in (1, 2)]
        points = [
            one.points[one.players.index(self._names[0])] for one in both if one and self._names[0] in one.players
        ]
        if len(points) == 2:
            self.pairs.add(game.pair, round(2 * sum(points)))

    def rows(self) -> list[Row]:
        """Return the table, in the order in which players were named."""
        games = self.games
        return [_row(name, [game for game in games if name in game.players]) for name in self._names]


def _row(name: str, games: Sequence[PlayedGame]) -> Row:
    sides = [(game, game.players.index(name)) for game in games]
    results = Counter(game.points[side] for game, side in sides)
    won, drawn, lost = results[1.0], results[0.5], results[0.0]
    causes = Counter(game.causes[side] for game, side in sides if game.causes[side])
    return Row(
        name, won, drawn, lost, won + drawn / 2,
        count_pairs((game.pair, game.points[side]) for game, side in sides),
        causes,
        tuple(
            Fault(game.number, cause, game.sentence)
            for game, side in sides
            if (cause := game.causes[side]) and cause not in NO_FAULTS
        ),
        sum(game.moves[side] for game, side in sides),
        sum(game.used_ms[side] for game, side in sides),
    )  # fmt: skip
