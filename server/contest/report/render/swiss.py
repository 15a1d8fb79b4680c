"""The rounds of a Swiss as rows: whom each has met, with which results, and the points so far. Pure."""

from collections import defaultdict
from typing import NamedTuple

from server.contest.report.structure import Report, Stage

_POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0), "none": (0.0, 0.0)}


class GameMark(NamedTuple):
    """A game as its player sees it."""

    number: int
    """In the report."""
    match: int | None
    began: bool
    points: float


class RoundCell(NamedTuple):
    """A round of a player."""

    opponent: str
    """Empty for a bye."""
    games: tuple[GameMark, ...]
    """Those that are over and count; none before the first one."""
    points: float
    """In this round."""
    so_far: float
    """In this round and those before it."""
    bye: bool


def swiss_rounds(stage: Stage, report: Report) -> list[list[RoundCell | None]]:
    """Return a row for each line of the stage's table, and in it an entry for each round; None who was not paired.

    Of games that can begin, only those that the schedule lists make a round that has no result yet.
    """
    games: defaultdict[tuple[str, int], list[GameMark]] = defaultdict(list)
    opponents: dict[tuple[str, int], str] = {}
    for game in report.games:
        if game.stage != stage.number or not game.counts or game.result not in _POINTS:
            continue
        players = game.first, game.second
        for side, points in enumerate(_POINTS[game.result]):
            key = players[side], game.round
            opponents[key] = players[1 - side]
            games[key].append(GameMark(game.number, game.match, side == 0, points))
    for coming in report.schedule:
        if coming.stage == stage.number:
            opponents.setdefault((coming.first, coming.round), coming.second)
            opponents.setdefault((coming.second, coming.round), coming.first)
    byes = {(bye.name, bye.round) for bye in stage.byes}
    rounds = max((round for _, round in (*opponents, *byes)), default=0)
    rows = []
    for line in stage.table:
        scored = sum(mark.points for round in range(1, rounds + 1) for mark in games[line.name, round])
        of_bye = (line.points - scored) / line.byes if line.byes else 0.0
        row: list[RoundCell | None] = []
        so_far = 0.0
        for round in range(1, rounds + 1):
            key = line.name, round
            marks = tuple(sorted(games[key], key=lambda mark: not mark.began))
            points = of_bye if key in byes else sum(mark.points for mark in marks)
            so_far += points
            known = key in byes or key in opponents
            row.append(RoundCell(opponents.get(key, ""), marks, points, so_far, key in byes) if known else None)
        rows.append(row)
    return rows
