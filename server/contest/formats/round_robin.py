"""Round robin, gauntlet and pairs: formats whose games are all known from the beginning.

The order of meetings is that of the Berger tables (Johann Berger 1893; FIDE Handbook, General Regulations for
Competitions, annex 1): with them nobody waits long, and nobody begins many first games in a row.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import Annotated

from engine.statistics.elo import MAX_ELO, Decision, Sprt, Tally
from engine.wire.words import number_of
from server.config.declared import Range
from server.contest.fixtures import Fixture, GameResult, Schedule, whole_meeting
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
        return [Batch(self.most_meetings(left) * size, left)]

    def most_meetings(self, players: int) -> int:
        """Return the number of meetings."""
        return self.cycles * players * (players - 1) // 2


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

    def most_meetings(self, players: int) -> int:
        """Return the number of meetings if half of the players are challengers, or more."""
        return self.cycles * players * players // 2

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
        cycles = -(-self.games // stage.meeting_games)
        found = all_meetings(cycles, *stage[:4])
        if self.test is not None and len(stage.players) == 2:
            decided = decided_after(self.test, stage.players[0], found.fixtures, stage.games)
            if decided is not None:
                return Schedule(found.fixtures[: 2 * decided], final=True)
        return found

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return all games, as if the test never decided."""
        return [Batch(left * (left - 1) // 2 * self.games, left)]

    def most_meetings(self, players: int) -> int:
        """Return the number of meetings with a pair of games each."""
        return players * (players - 1) // 2 * -(-self.games // 2)

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
    places = berger(len(players) + len(players) % 2)
    fixtures: list[Fixture] = []
    numbers = count(1)
    for cycle in range(cycles):
        for of_round in places:
            number = next(numbers)
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
    for cycle in range(format.cycles):
        for other in others:
            for challenger in challengers:
                pair = (challenger, other) if cycle % 2 == 0 else (other, challenger)
                fixtures += whole_meeting(stage, cycle + 1, pair, variants, pairs)
    return Schedule(tuple(fixtures))
