"""Round robin, gauntlet, pairs and ladder: formats in which no round waits for the round before.

All games of the first three are known from the beginning. The order of meetings is that of the Berger tables (Johann
Berger 1893; FIDE Handbook, General Regulations for Competitions, annex 1): with them nobody waits long, and nobody
begins many first games in a row.

*Ladder*: free players meet others with about the same rating, until a limit of games or time. The player with the
fewest games comes first, and gets the opponent whose rating is nearest. An opponent that it has met in a large part of
its meetings counts as further away, so that neighbours meet most, but not only each other. Ratings are from all games
of the stage so far. A meeting is a pair of games in one variant, the variants in turn.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Annotated, ClassVar

from engine.statistics.elo import MAX_ELO, Decision, Sprt, Tally
from engine.wire.words import duration, number_of
from server.config.declared import Key, Range
from server.contest.fixtures import END, Fixture, GameResult, Schedule, meeting, whole_meeting
from server.contest.formats.format import CYCLES, Batch, Ranked, StageFormat, StageView, Standing, rank_by_rating

SCHEDULES_KEPT = 4
"""Schedules that are kept: that of a stage is asked for after each of its games, and may have 100,000 games."""

Round = list[tuple[int, int]]
"""Meetings of a round: places of both players, counted from 0, that of who begins first."""


class RoundRobin(StageFormat, frozen=True, tag="round-robin"):
    """Everybody meets everybody ``cycles`` times."""

    cycles: Annotated[int, CYCLES] = 1

    @property
    def title(self) -> str:
        """Return the name with the number of cycles."""
        return _with_cycles("Round robin", self.cycles)

    def schedule(self, stage: StageView) -> Schedule:
        """Return all games. Colours are swapped after each cycle; of an odd number, one has a bye in each round."""
        return all_meetings(self.cycles, *stage[:4])

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return all games."""
        return [Batch(self.cycles * left * (left - 1) // 2 * size, left)]


class Gauntlet(StageFormat, frozen=True, tag="gauntlet"):
    """Each challenger meets each of the others ``cycles`` times."""

    challengers: tuple[str, ...]
    cycles: Annotated[int, CYCLES] = 1

    @property
    def title(self) -> str:
        """Return the name with the number of cycles."""
        return _with_cycles("Gauntlet", self.cycles)

    def schedule(self, stage: StageView) -> Schedule:
        """Return all games: each challenger meets the others in turn, one cycle in each round."""
        return _gauntlet(self, *stage[:4])

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by rating, since challengers and others play different numbers of games."""
        return rank_by_rating(stage, lines)

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return all games."""
        challengers = min(left, len(self.challengers))
        return [Batch(self.cycles * challengers * (left - challengers) * size, 2 * challengers)]

    def fault(self, first: bool, entrants: int) -> str:
        """Refuse a gauntlet that is not the first stage."""
        return "" if first else ".format is gauntlet, which can only be the first stage"


class Pairs(StageFormat, frozen=True, tag="pairs"):
    """Every two players meet in ``games`` games, a pair from each opening, or until a sequential test has decided.

    The test is the first player's against the second one; others have none.
    """

    games: Annotated[int, Range(2, 100_000, "games")]
    elo0: Annotated[float | None, Range(-MAX_ELO, MAX_ELO, "Elo")] = None
    """The first player is stronger by less than this: H0. None: there is no test."""
    elo1: Annotated[float | None, Range(-MAX_ELO, MAX_ELO, "Elo")] = None
    """It is stronger by more than this: H1."""

    @property
    def test(self) -> Sprt | None:
        """The sequential test; None where there is none."""
        return None if self.elo0 is None or self.elo1 is None else Sprt(self.elo0, self.elo1)

    @property
    def title(self) -> str:
        """Return the name with the number of games, and the test."""
        test = "" if self.test is None else f", until SPRT {self.elo0:g} {self.elo1:g} has decided"
        return f"Pairs, {number_of(self.games, 'game')}{test}"

    def schedule(self, stage: StageView) -> Schedule:
        """Return all games, or those up to the pair with which the test has decided."""
        found, decided = all_meetings(-(-self.games // stage.meeting_games), *stage[:4]), None
        if self.test is not None and len(stage.players) == 2:
            decided = decided_after(self.test, stage.players[0], found.fixtures, stage.games)
        return found if decided is None else Schedule(found.fixtures[: 2 * decided], final=True)

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return all games, as if the test never decided."""
        return [Batch(left * (left - 1) // 2 * self.games, left)]

    def fault(self, first: bool, entrants: int) -> str:
        """Refuse a test that cannot be made."""
        if self.elo0 is None and self.elo1 is None:
            return ""
        if self.elo0 is None or self.elo1 is None or self.elo0 >= self.elo1:
            return " has a test with two differences in Elo, the smaller one as elo0 and the larger one as elo1"
        return "" if entrants == 2 else f" has a test, which compares two entrants, and there are {entrants}"


def decided_after(test: Sprt, player: str, fixtures: Sequence[Fixture], games: Sequence[GameResult]) -> int | None:
    """Return the number of pairs after which a test of a player against the other one has decided; None: it is open.

    Pairs enter the test in the order of the schedule, without a gap. So its decision depends neither on how many games
    are played at a time nor on which ends first.
    """
    results = {game.fixture: game for game in games}
    tally = Tally(test)
    for pair, both in enumerate(zip(fixtures[::2], fixtures[1::2], strict=True)):
        if not all(fixture in results for fixture in both):
            return None
        tally.add(pair, round(2 * sum(results[fixture].points(fixture.players.index(player)) for fixture in both)))
        if tally.decision is not Decision.OPEN:
            return tally.pairs
    return None


def berger(players: int) -> list[Round]:
    """Return the rounds of a round robin for an even number of players, at least 2 (Berger tables)."""
    assert players % 2 == 0 and players > 0
    last, half = players - 1, players // 2
    rounds = []
    for number in range(last):
        # from round to round everybody but the last one moves on by half the table
        places = [(place + number * half) % last for place in range(last)] + [last]
        pairs = [(places[place], places[last - place]) for place in range(half)]
        if number % 2 == 1:
            pairs[0] = pairs[0][::-1]
        rounds.append(pairs)
    return rounds


def _with_cycles(name: str, cycles: int) -> str:
    return name if cycles == 1 else f"{name}, {cycles} cycles"


@lru_cache(maxsize=SCHEDULES_KEPT)
def all_meetings(cycles: int, stage: int, players: tuple[str, ...], variants: int, pairs: int) -> Schedule:
    """Return all games of a round robin. Colours are swapped after each cycle."""
    if len(players) < 2:
        return Schedule(())
    rounds = product(range(cycles), berger(len(players) + len(players) % 2))
    fixtures: list[Fixture] = []
    for number, (cycle, of_round) in enumerate(rounds, 1):
        for pair in of_round:
            if max(pair) < len(players):
                first, second = pair if cycle % 2 == 0 else pair[::-1]
                fixtures += whole_meeting(stage, number, (players[first], players[second]), variants, pairs)
    return Schedule(tuple(fixtures))


@lru_cache(maxsize=SCHEDULES_KEPT)
def _gauntlet(format: Gauntlet, stage: int, players: tuple[str, ...], variants: int, pairs: int) -> Schedule:
    challengers = [name for name in players if name in format.challengers]
    others = [name for name in players if name not in format.challengers]
    fixtures: list[Fixture] = []
    for cycle, other, challenger in product(range(format.cycles), others, challengers):
        pair = (challenger, other) if cycle % 2 == 0 else (other, challenger)
        fixtures += whole_meeting(stage, cycle + 1, pair, variants, pairs)
    return Schedule(tuple(fixtures))


SHARE_ELO = 1000.0
"""Elo penalty for meeting the same opponent again.

The full value holds if it was the only opponent so far, half of it if it was every second one. Opponents that are 100,
200, 300 and 400 Elo away then have about 40, 30, 20 and 10 % of the meetings."""


class Ladder(StageFormat, frozen=True, tag="ladder"):
    """Free players meet others with about the same rating, until one of the two limits is reached (0: none)."""

    is_open: ClassVar[bool] = True
    games: Annotated[int, Range(1, 10**9)] = 0
    seconds: Annotated[int, Key("hours")] = 0

    @property
    def is_endless(self) -> bool:
        """Tell whether it has no limit, which contest files cannot say."""
        return not self.games and not self.seconds

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
        # the last meeting is whole
        fixtures = [game for round, one in begun.items() for game in _meeting(stage, round, one.players)][
            : self.games + self.games % 2 or None
        ]
        ended = 0 < self.seconds <= stage.seconds or 0 < self.games <= len(fixtures)
        ended = ended or any(game.fixture.stage > stage.number for game in stage.results)
        out = stage.disqualified(stage.results, END)
        left = [name for name in stage.players if name not in out]
        if ended or len(left) < 2:
            return Schedule(tuple(fixtures))
        # a player that has to play the second game of a pair is not free for another one
        owing = {name for fixture in set(fixtures) - {game.fixture for game in mine} for name in fixture.players}
        waiting = [name for name in left if name in stage.free and name not in owing]
        pairs = _pairs(stage, waiting, [fixture.players for fixture in begun.values()])
        for number, pair in enumerate(pairs, max(begun, default=0)):
            if 0 < self.games <= len(fixtures):
                break
            fixtures += _meeting(stage, number + 1, pair)
        return Schedule(tuple(fixtures), complete=False)

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by rating, since players meet different opponents."""
        return rank_by_rating(stage, lines)

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the games up to the limit; without one, the games that have begun."""
        return [Batch(open.games + max(0, self.games - len(schedule.fixtures)), left)]

    def seconds_left(self, gone: float) -> float | None:
        """Return how long the ladder still lasts; None with a limit of games."""
        return max(0.0, self.seconds - gone) if not self.games else None

    def fault(self, first: bool, entrants: int) -> str:
        """Refuse a ladder without an end."""
        return " is a ladder without an end: it needs games, hours, or both" if self.is_endless else ""


def _meeting(stage: StageView, round: int, players: tuple[str, str]) -> list[Fixture]:
    """Return both games of a meeting of a ladder, in the variant and from the opening of its round."""
    return meeting(stage.number, round, players, [(round - 1) % stage.variants], range(1), round - 1)


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
        shares = {other: met[frozenset((name, other))] / max(1, had[name]) for other in waiting}
        opponent = min(waiting, key=lambda one: abs(rating[name] - rating[one]) + SHARE_ELO * shares[one])
        waiting.remove(opponent)
        pairs.append((name, opponent) if met[frozenset((name, opponent))] % 2 == 0 else (opponent, name))
    return pairs
