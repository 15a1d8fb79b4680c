"""Round robin and gauntlet: formats whose games are all known from the beginning.

The order of meetings is that of the Berger tables (Johann Berger 1893; FIDE Handbook, General Regulations for
Competitions, annex 1): with them nobody waits long, and nobody begins many first games in a row.
"""

from functools import lru_cache
from itertools import count

from server.contest.definition import Definition, Gauntlet, RoundRobin
from server.contest.fixtures import Schedule, whole_meeting

SCHEDULES_KEPT = 4
"""Schedules that are kept: that of a stage is asked for after each of its games, and may have 100,000 games."""

Round = list[tuple[int, int]]
"""Meetings of a round: places of both players, counted from 0, that of who begins first."""


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


@lru_cache(maxsize=SCHEDULES_KEPT)
def round_robin(definition: Definition, stage: int, format: RoundRobin, players: tuple[str, ...]) -> Schedule:
    """Return all games. Colours are swapped after each cycle; of an odd number, one player has a bye in each round."""
    if len(players) < 2:
        return Schedule(())
    places = berger(len(players) + len(players) % 2)
    fixtures = []
    numbers = count(1)
    for cycle in range(format.cycles):
        for pairs in places:
            number = next(numbers)
            for pair in pairs:
                if max(pair) < len(players):
                    first, second = pair if cycle % 2 == 0 else pair[::-1]
                    fixtures += whole_meeting(definition, stage, number, (players[first], players[second]))
    return Schedule(tuple(fixtures))


@lru_cache(maxsize=SCHEDULES_KEPT)
def gauntlet(definition: Definition, stage: int, format: Gauntlet, players: tuple[str, ...]) -> Schedule:
    """Return all games: each challenger meets the others in turn, one cycle in each round."""
    challengers = [name for name in players if name in format.challengers]
    others = [name for name in players if name not in format.challengers]
    fixtures = []
    for cycle in range(format.cycles):
        for other in others:
            for challenger in challengers:
                pair = (challenger, other) if cycle % 2 == 0 else (other, challenger)
                fixtures += whole_meeting(definition, stage, cycle + 1, pair)
    return Schedule(tuple(fixtures))
