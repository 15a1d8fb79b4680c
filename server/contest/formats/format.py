"""The interface of formats: a stage as its format sees it, and what a format answers (pure).

A format is a struct of its own fields, as a contest file says them. Each stands in a module of this room, with all that
is special about it. `server.contest.definition.Format` lists them.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import ClassVar, NamedTuple

import msgspec

from engine.match.clock import TimeControl
from server.config.declared import Range
from server.contest.fixtures import Fixture, GameResult, Schedule, whole_meeting

CYCLES = Range(1, 1000)

RATING_DECIMALS = 6
"""Decimals to which ratings are rounded before they are compared: smaller differences come from the order of sums."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table, as it stands in reports too."""

    place: int
    """From 1; equal for those who share it."""
    name: str
    points: float
    games: int
    """Without those that were not played."""
    wins: int
    draws: int
    losses: int
    forfeits_won: int
    """Games that were not played."""
    forfeits_lost: int
    byes: int
    sonneborn_berger: float
    buchholz: float
    rating: float | None
    """From the games of the stage, where it decides the order."""
    rounds_won: int | None
    """In a knockout."""
    firsts: int
    """Games in which it began."""
    used: int
    """Time used in all games, in microseconds."""
    longest: int
    """The longest time used in a game, in microseconds."""
    time_losses: int
    disqualified: str
    """Why; empty if it is not."""


Ranked = tuple[Standing, tuple[float, ...]]
"""A line of the table, and the values that decide its place: higher is better, and the first difference decides."""


class Batch(NamedTuple):
    """Games that can be played in any order after the games of the batch before."""

    games: int
    players: int
    """That take part."""


class StageView(NamedTuple):
    """A stage as its format sees it."""

    number: int
    players: tuple[str, ...]
    """In order of seeding."""
    variants: int
    """The number of the contest's variants."""
    pairs: int
    """Pairs of games that a meeting has in every variant."""
    results: Sequence[GameResult]
    """All games that count, those of earlier stages too."""
    disqualified: Callable[[Iterable[GameResult], tuple[int, int]], Collection[str]]
    """Returns the players who are out by some games, as it was before a round of a stage."""
    ratings: Callable[[Sequence[GameResult], tuple[str, ...]], dict[str, float]]
    """Returns the ratings of players by maximum likelihood, in Elo."""
    running: frozenset[Fixture] = frozenset()
    """Games that have begun and are not over."""
    free: tuple[str, ...] = ()
    """Players that could begin a game."""
    seconds: float = 0.0
    """How long ago the stage began."""

    @property
    def games(self) -> list[GameResult]:
        """The games of this stage that count."""
        return [game for game in self.results if game.fixture.stage == self.number]

    @property
    def meeting_games(self) -> int:
        """The number of games of a meeting, which is also the number of its points."""
        return 2 * self.variants * self.pairs

    def meeting(self, round: int, players: tuple[str, str]) -> list[Fixture]:
        """Return all games of a meeting. All meetings of a round have the same openings."""
        return whole_meeting(self.number, round, players, self.variants, self.pairs)


class StageFormat(msgspec.Struct, frozen=True, array_like=True):
    """Base class of formats."""

    by_rounds: ClassVar[bool] = False
    """Whether each round follows from the results of the rounds before it."""
    is_open: ClassVar[bool] = False
    """Whether games follow from the players that are free, so that nobody can say later which games were due."""
    byes_score: ClassVar[bool] = True
    """Whether a bye is worth the points of a meeting."""

    @property
    def is_endless(self) -> bool:
        """Tell whether the stage never ends."""
        return False

    @property
    def title(self) -> str:
        """The name of the format with its size."""
        raise NotImplementedError

    def schedule(self, stage: StageView) -> Schedule:
        """Return all games that are decided so far, played or not."""
        raise NotImplementedError

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Return the lines of the table, in the order given, with the values that decide their places."""
        return [(one, (one.points, one.sonneborn_berger, one.wins + one.forfeits_won)) for one in lines]

    def control_of(self, control: TimeControl, pairs: int, pair: int) -> TimeControl:
        """Return the time control of a pair of games in a stage with that control and number of pairs."""
        return control

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the known remaining games of ``players``; ``left`` of these are neither disqualified nor withdrawn.

        ``size`` is the number of games of a meeting. ``open`` are the games of the schedule that are not over.
        """
        return [open]

    def seconds_left(self, gone: float) -> float | None:
        """Return how long the stage still lasts after some seconds; None where its games decide that."""
        return None

    def fault(self, first: bool, entrants: int) -> str:
        """Return what is wrong with the format in a contest file, as the end of a sentence; empty if it is right.

        ``first`` tells whether its stage is the first one.
        """
        return ""


def rank_by_rating(stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
    """Return the lines with ratings from the games of the stage, which decide their places."""
    rating = stage.ratings(stage.games, stage.players)
    return [
        (msgspec.structs.replace(one, rating=rating[one.name]), (round(rating[one.name], RATING_DECIMALS),))
        for one in lines
    ]
