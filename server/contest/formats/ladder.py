"""Ladder: free players meet others with about the same rating, until a limit of games or time.

Whoever has played least comes first, and gets the opponent whose rating is nearest, where one whom he has met in a
large part of his meetings seems further away than he is: so neighbours meet most, but not only each other. Ratings are
those of all games of the stage so far. A meeting is a pair of games in one variant, the variants in turn.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar

from engine.wire.words import duration, number_of
from server.config.declared import Key, Range
from server.contest.fixtures import Schedule, meeting
from server.contest.formats.format import Batch, Ranked, StageFormat, StageView, Standing, rank_by_rating
from server.contest.interventions import END

SHARE_ELO = 1000.0
"""By so much in Elo an opponent seems further away who was the only one so far, by half of it one who was each second.

Where others are 100, 200, 300 and 400 Elo away, this gives them about 40, 30, 20 and 10 % of the meetings."""


class Ladder(StageFormat, frozen=True, tag="ladder"):
    """Free players meet others with about the same rating, until one of the two limits is reached (0: none)."""

    is_open: ClassVar[bool] = True
    games: Annotated[int, Range(1, 10**9)] = 0
    seconds: Annotated[int, Key("hours")] = 0

    @property
    def title(self) -> str:
        """Return the name with its limits."""
        limits = [number_of(self.games, "game")] if self.games else []
        limits += [duration(self.seconds)] if self.seconds else []
        return f"Ladder, {' or '.join(limits)}"

    def schedule(self, stage: StageView) -> Schedule:
        """Return the meetings that have begun, and new ones for pairs of free players.

        It ends before its limits when fewer than two are left who were not disqualified, and has ended where later
        stages have games.
        """
        mine = stage.games
        known = [game.fixture for game in mine] + [one for one in stage.running if one.stage == stage.number]
        begun = {fixture.round: fixture for fixture in known}  # a round is one meeting here
        fixtures = [game for fixture in begun.values() for game in (fixture, fixture.swapped)]
        later = any(game.fixture.stage > stage.number for game in stage.results)
        ended = later or (0 < self.seconds <= stage.seconds) or (0 < self.games <= len(fixtures))
        out = stage.disqualified(stage.results, END)
        left = [name for name in stage.players if name not in out]
        if ended or len(left) < 2:
            return Schedule(tuple(fixtures))
        # who still has to play the second game of a pair is not free for another one
        owing = {name for fixture in set(fixtures) - {game.fixture for game in mine} for name in fixture.players}
        waiting = [name for name in left if name in stage.free and name not in owing]
        number = 1 + max((fixture.round for fixture in known), default=0)
        for pair in _pairs(stage, waiting, [fixture.players for fixture in begun.values()]):
            if 0 < self.games <= len(fixtures):
                break
            variant = (number - 1) % stage.variants
            fixtures += meeting(stage.number, number, pair, [variant], range(1), number - 1)
            number += 1
        return Schedule(tuple(fixtures), complete=False)

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by rating, since players meet different opponents."""
        return rank_by_rating(stage, lines)

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the games up to the limit; without one, the games that have begun."""
        return [Batch(open.games + max(0, self.games - len(schedule.fixtures)), left)]

    def seconds_left(self, gone: float) -> float | None:
        """Return how long the ladder still lasts."""
        return max(0.0, self.seconds - gone) if self.seconds else None

    def fault(self, first: bool, entrants: int) -> str:
        """Refuse a ladder without an end."""
        return "" if self.games or self.seconds else " is a ladder without an end: it needs games, hours, or both"

    def most_meetings(self, players: int) -> int:
        """Return a bound on what is computed at a time: its meetings follow from its results."""
        return players

    @property
    def may_grow(self) -> bool:
        """Tell whether there is no limit of games."""
        return self.games == 0


def _pairs(stage: StageView, waiting: list[str], meetings: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pair the waiting players, except an odd one."""
    if len(waiting) < 2:
        return []
    rating = stage.ratings(stage.games, stage.players)
    met = Counter(frozenset(pair) for pair in meetings)
    had = Counter(name for pair in meetings for name in pair)
    waiting = sorted(waiting, key=lambda name: had[name])  # those who are even stay in order
    pairs = []
    while len(waiting) >= 2:
        name = waiting.pop(0)
        opponent = min(waiting, key=lambda other: _distance(name, other, rating, met, had))
        waiting.remove(opponent)
        pairs.append((name, opponent) if met[frozenset((name, opponent))] % 2 == 0 else (opponent, name))
    return pairs


def _distance(
    name: str, other: str, rating: dict[str, float], met: Counter[frozenset[str]], had: Counter[str]
) -> float:
    share = met[frozenset((name, other))] / max(1, had[name])
    return abs(rating[name] - rating[other]) + SHARE_ELO * share
