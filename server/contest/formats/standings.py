"""The table of a stage: places, points and tie-breaks.

Points are 1 for a win and a half for a draw, a game that somebody had to forfeit included. Then the order is

    round robin     points, Sonneborn-Berger, wins
    Swiss           points, Buchholz, Sonneborn-Berger, wins
    gauntlet        rating, since challengers and others play different numbers of games
    ladder          rating, since everybody plays whom he gets
    knockout        rounds got through, then the match for the third place

Who is still even shares the place, and stands in the order of seeding. Who was disqualified comes last. Sonneborn-
Berger is, for each game, the points of the opponent for a win and half of them for a draw. Buchholz is the sum of the
opponents' points, one for each meeting. A bye gives the points of a meeting won in all games; for Buchholz it counts as
an opponent who has as many points as oneself, like the virtual opponent of the FIDE Handbook (C.07).
"""

from collections import Counter
from collections.abc import Collection
from typing import Generic, TypeVar

import msgspec

from engine.games.outcome import Termination
from server.contest.definition import Definition, Format, Gauntlet, Knockout, Ladder, Swiss
from server.contest.fixtures import Bye, GameResult, counted_games, games_in_meeting, rated_games
from server.contest.formats.knockout import bracket
from server.contest.interventions import END
from server.contest.scoring.disqualification import Disqualification, find_disqualified

RATING_DECIMALS = 6
"""Ratings are compared rounded to so many: what differs by less was computed in another order only."""


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


GameOrNumber = TypeVar("GameOrNumber", GameResult, int)


class Cell(msgspec.Struct, Generic[GameOrNumber], frozen=True):
    """The result of a player against another one."""

    points: float
    wins: int
    draws: int
    losses: int
    games: tuple[GameOrNumber, ...]
    """Those that have been played or forfeited, in their order; in reports their numbers there."""


def standings(
    definition: Definition,
    stage: int,
    players: tuple[str, ...],
    games: Collection[GameResult],
    byes: Collection[Bye] = (),
    before: tuple[int, int] = END,
) -> list[Standing]:
    """Return the table of a stage, the best first; ``players`` are in order of seeding, ``games`` all so far.

    With ``before``, a stage and a round, as it was when that round was paired; ``games`` are those before it then.
    """
    valid = counted_games(games)
    mine = [game for game in valid if game.fixture.stage == stage]
    out = find_disqualified(definition, valid, before)
    table = crosstable(players, mine)
    had = Counter(bye.name for bye in byes)
    # in a knockout it is no points that a bye is worth
    bye_points = 0 if isinstance(definition.stages[stage].format, Knockout) else games_in_meeting(definition, stage)
    points = {
        name: sum((cell.points for cell in table[name].values()), start=0.0) + had[name] * bye_points
        for name in players
    }
    lines = [_line(name, table[name], points, had[name], out.get(name)) for name in players]
    lines, third = _rated(definition, stage, players, valid, lines)
    marks = {line.name: _marks(definition.stages[stage].format, line, third) for line in lines}
    lines.sort(key=lambda line: marks[line.name], reverse=True)  # those who are even stay in order
    placed: list[Standing] = []
    for number, line in enumerate(lines, 1):
        shared = bool(placed) and marks[placed[-1].name] == marks[line.name]
        placed.append(msgspec.structs.replace(line, place=placed[-1].place if shared else number))
    return placed


def crosstable(players: tuple[str, ...], games: Collection[GameResult]) -> dict[str, dict[str, Cell[GameResult]]]:
    """Return the result of each player against each opponent; both in order of seeding."""
    met: dict[tuple[str, str], list[GameResult]] = {}
    for game in games:
        first, second = game.fixture.players
        met.setdefault((first, second), []).append(game)
        met.setdefault((second, first), []).append(game)
    return {
        name: {other: _cell(name, met[name, other]) for other in players if (name, other) in met} for name in players
    }


def _cell(name: str, games: list[GameResult]) -> Cell[GameResult]:
    reached = [game.points(game.fixture.players.index(name)) for game in games]
    draws = sum(game.shared for game in games)
    wins = reached.count(1.0)
    return Cell(sum(reached), wins, draws, len(games) - wins - draws, tuple(games))


def _line(
    name: str, row: dict[str, Cell[GameResult]], points: dict[str, float], byes: int, out: Disqualification | None
) -> Standing:
    """Return the line of a player, without its place."""
    games = [(game, game.fixture.players.index(name)) for cell in row.values() for game in cell.games]
    played = [(game, side) for game, side in games if game.played]
    unplayed = [game.points(side) for game, side in games if not game.played]
    used = [game.used[side] for game, side in played]
    rounds = {(other, game.fixture.round) for other, cell in row.items() for game in cell.games}
    return Standing(
        place=0,
        name=name,
        points=points[name],
        games=len(played),
        wins=sum(game.winner == side for game, side in played),
        draws=sum(game.winner is None for game, _ in played),
        losses=sum(game.winner == 1 - side for game, side in played),
        forfeits_won=unplayed.count(1.0),
        forfeits_lost=unplayed.count(0.0),
        byes=byes,
        sonneborn_berger=sum((cell.points * points[other] for other, cell in row.items()), 0.0),
        buchholz=sum(points[other] for other, _ in rounds) + byes * points[name],
        rating=None,
        rounds_won=None,
        firsts=sum(side == 0 for _, side in played),
        used=sum(used),
        longest=max(used, default=0),
        time_losses=sum(game.termination == Termination.TIME and game.winner != side for game, side in played),
        disqualified=out.reason if out else "",
    )


def _rated(
    definition: Definition, stage: int, players: tuple[str, ...], games: list[GameResult], lines: list[Standing]
) -> tuple[list[Standing], str | None]:
    """Return the lines with ratings or rounds won, if the format ranks by them, and who has won the third place."""
    format = definition.stages[stage].format
    if isinstance(format, Knockout):
        found = bracket(definition, stage, format, players, games)
        return [msgspec.structs.replace(line, rounds_won=found.won[line.name]) for line in lines], found.third
    if isinstance(format, Gauntlet | Ladder):
        from engine.statistics.likelihood import strengths  # loads numpy

        mine = [game for game in games if game.fixture.stage == stage]
        rating = strengths(rated_games(mine), players, len(definition.variants))
        return [msgspec.structs.replace(line, rating=rating[line.name]) for line in lines], None
    return lines, None


def _marks(format: Format, line: Standing, third: str | None) -> tuple[float, ...]:
    """Return the values that decide the rank of a player: higher is better, and the first difference decides."""
    decisive: tuple[float, ...]
    if line.rating is not None:
        decisive = (round(line.rating, RATING_DECIMALS),)
    elif line.rounds_won is not None:
        decisive = (line.rounds_won, line.name == third)
    elif isinstance(format, Swiss):
        decisive = (line.points, line.buchholz, line.sonneborn_berger, line.wins + line.forfeits_won)
    else:
        decisive = (line.points, line.sonneborn_berger, line.wins + line.forfeits_won)
    return (not line.disqualified, *decisive)
