"""Knockout: the winner of each meeting goes on, until one player is left.

Seeds stand in the bracket so that the best two can only meet in the final, the best four in the half finals, and so
on; where the number of players is no power of two, the best have byes in the first round. A meeting that has ended even
goes on with one pair of games after the other, as many as the contest allows; then the better seed goes on. Where the
contest has a match for the third place, it is part of the last round.
"""

from typing import NamedTuple

from server.contest.definition import Definition, Knockout
from server.contest.fixtures import Bye, Fixture, GameResult, Schedule, meeting, points


class Bracket(NamedTuple):
    """The state of a knockout."""

    schedule: Schedule
    won: dict[str, int]
    """How many rounds each player has got through, by a bye too."""
    third: str | None = None
    """Who has won the match for the third place, where there is one."""


def bracket(
    definition: Definition, stage: int, format: Knockout, players: tuple[str, ...], games: list[GameResult]
) -> Bracket:
    """Return the rounds up to the first that is not over; ``players`` are in order of seeding."""
    results = {game.fixture: game for game in games}
    slots = [players[seed] if seed < len(players) else None for seed in seeds(len(players))]
    won = dict.fromkeys(players, 0)
    fixtures: list[Fixture] = []
    byes: list[Bye] = []
    number = 0
    losers: list[str] = []
    third: str | None = None
    while len(slots) > 1:
        number += 1
        beaten, losers = losers, []
        winners: list[str | None] = []
        over = True
        for upper, lower in zip(slots[::2], slots[1::2], strict=True):
            present = [name for name in (upper, lower) if name is not None]
            if len(present) == 1:
                byes.append(Bye(number, present[0]))
                winner: str | None = present[0]
            else:
                first, second = sorted(present, key=players.index)
                played, winner = _meet(definition, stage, format, number, (first, second), results)
                fixtures += played
                losers += [name for name in present if winner not in (None, name)]
            if winner is None:
                over = False
            else:
                won[winner] += 1
            winners.append(winner)
        if len(slots) == 2 and len(beaten) == 2 and format.third_place:
            first, second = sorted(beaten, key=players.index)
            played, third = _meet(definition, stage, format, number, (first, second), results)
            fixtures += played
            over = over and third is not None
        if not over:
            return Bracket(Schedule(tuple(fixtures), tuple(byes), complete=False), won, third)
        slots = winners
    return Bracket(Schedule(tuple(fixtures), tuple(byes)), won, third)


def seeds(players: int) -> list[int]:
    """Return the seeds, from 0, in the order of the bracket; those of ``players`` and more stand for byes."""
    order = [0]
    while len(order) < players:
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return order


def _meet(
    definition: Definition,
    stage: int,
    format: Knockout,
    number: int,
    players: tuple[str, str],
    results: dict[Fixture, GameResult],
) -> tuple[list[Fixture], str | None]:
    """Return the games of a meeting that are needed so far, and the winner; None if it is undecided."""
    pairs = definition.stages[stage].pairs
    variants = range(len(definition.variants))
    opening = (number - 1) * (pairs + format.tie_breaks)
    fixtures = meeting(stage, number, players, variants, range(pairs), opening)
    for added in range(format.tie_breaks + 1):
        if not all(fixture in results for fixture in fixtures):
            return fixtures, None
        score = points(results[fixture] for fixture in fixtures)
        if score[players[0]] != score[players[1]]:
            return fixtures, max(players, key=score.__getitem__)
        if added < format.tie_breaks:
            more, variant = pairs + added, variants[added % len(variants)]
            fixtures += meeting(stage, number, players, [variant], range(more, more + 1), opening + more)
    return fixtures, players[0]
