"""Knockout: the winner of each meeting goes on, until one player is left.

Seeds stand in the bracket so that the best two can only meet in the final, the best four in the half finals, and so
on; where the number of players is no power of two, the best have byes in the first round. A meeting that has ended even
goes on with one pair of games after the other, as many as the contest allows; then the better seed goes on. Where the
contest has a match for the third place, it is part of the last round.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple

from msgspec.structs import replace

from engine.match.clock import TimeControl
from server.config.declared import Key, Range
from server.contest.fixtures import Bye, Fixture, GameResult, Schedule, meeting, points
from server.contest.formats.format import Batch, Ranked, StageFormat, StageView, Standing


class Bracket(NamedTuple):
    """The state of a knockout."""

    schedule: Schedule
    won: dict[str, int]
    """How many rounds each player has got through, by a bye too."""
    third: str | None = None
    """Who has won the match for the third place, where there is one."""


class Knockout(StageFormat, frozen=True, tag="knockout", kw_only=True):
    """The winner of a meeting goes on, the loser is out."""

    by_rounds: ClassVar[bool] = True
    byes_score: ClassVar[bool] = False
    tie_breaks: Annotated[int, Range(0, 100, "pairs of games")] = 4
    """Pairs of games, at most, that are added one by one to a meeting that has ended even."""
    control: Annotated[TimeControl, Key("tie-break-time")]
    """That of the added games."""
    third_place: bool = False
    """Whether those who have lost the semi-finals meet for the third place."""

    @property
    def title(self) -> str:
        """Return the name."""
        return "Knockout"

    def schedule(self, stage: StageView) -> Schedule:
        """Return the rounds up to the first that is not over."""
        return bracket(self, stage).schedule

    def rank(self, stage: StageView, lines: Sequence[Standing]) -> list[Ranked]:
        """Rank by the rounds that players have got through, then by the match for the third place."""
        found = bracket(self, stage)
        return [
            (replace(one, rounds_won=found.won[one.name]), (found.won[one.name], one.name == found.third))
            for one in lines
        ]

    def control_of(self, control: TimeControl, pairs: int, pair: int) -> TimeControl:
        """Return the control of tie-breaks for a pair that was added to a meeting."""
        return self.control if pair >= pairs else control

    def controls(self, control: TimeControl) -> list[TimeControl]:
        """Return the control of the stage and the control of tie-breaks."""
        return [control, self.control]

    def batches(self, players: int, left: int, size: int, schedule: Schedule, open: Batch) -> list[Batch]:
        """Return the rounds that are left, without tie-breaks."""
        behind = max((fixture.round for fixture in schedule.fixtures), default=0)
        rounds = max(0, players - 1).bit_length()
        batches = [open]
        for number in range(behind + 1, rounds + 1):
            meetings = 2 ** (rounds - number)
            if number == 1:
                meetings = players - meetings
            if number == rounds and self.third_place and players > 3:
                meetings += 1
            batches.append(Batch(meetings * size, 2 * meetings))
        return batches

    def most_meetings(self, players: int) -> int:
        """Return the number of meetings with all tie-breaks."""
        return (players + 1) * (1 + self.tie_breaks)

    @property
    def may_grow(self) -> bool:
        """Return True: tie-breaks are added when a meeting has ended even."""
        return True


def bracket(format: Knockout, stage: StageView) -> Bracket:
    """Return the rounds up to the first that is not over."""
    players = stage.players
    results = {game.fixture: game for game in stage.results}
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
                played, winner = _meet(format, stage, number, (first, second), results)
                fixtures += played
                losers += [name for name in present if winner not in (None, name)]
            if winner is None:
                over = False
            else:
                won[winner] += 1
            winners.append(winner)
        if len(slots) == 2 and len(beaten) == 2 and format.third_place:
            first, second = sorted(beaten, key=players.index)
            played, third = _meet(format, stage, number, (first, second), results)
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
    format: Knockout, stage: StageView, number: int, players: tuple[str, str], results: dict[Fixture, GameResult]
) -> tuple[list[Fixture], str | None]:
    """Return the games of a meeting that are needed so far, and the winner; None if it is undecided."""
    pairs, variants = stage.pairs, range(stage.variants)
    opening = (number - 1) * (pairs + format.tie_breaks)
    fixtures = meeting(stage.number, number, players, variants, range(pairs), opening)
    for added in range(format.tie_breaks + 1):
        if not all(fixture in results for fixture in fixtures):
            return fixtures, None
        score = points(results[fixture] for fixture in fixtures)
        if score[players[0]] != score[players[1]]:
            return fixtures, max(players, key=score.__getitem__)
        if added < format.tie_breaks:
            more, variant = pairs + added, variants[added % len(variants)]
            fixtures += meeting(stage.number, number, players, [variant], range(more, more + 1), opening + more)
    return fixtures, players[0]
