"""The parts of the tables of a report: columns that decide the rank, games in groups, and the rounds of a Swiss."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from server.contest.formats.standings import Standing
from server.contest.report import formatting
from server.contest.report.structure import Game, Report, Stage


class Mark(NamedTuple):
    """A column of a table."""

    head: str
    short: str
    """The head where there is little room."""
    explained: str | None
    text: Callable[[Standing], str]


_SCORE = Mark("Points", "points", None, lambda line: formatting.points(line.points))
_BERGER = Mark("S.-B.", "S.-B.", "Sonneborn-Berger", lambda line: formatting.quarters(line.sonneborn_berger))
_BUCHHOLZ = Mark("Buchholz", "Buch.", None, lambda line: formatting.points(line.buchholz))
_ROUNDS = Mark("Rounds won", "rounds", None, lambda line: str(line.rounds_won))
_RATING = Mark(
    "Rating", "Elo", "From the games of this stage alone", lambda line: formatting.elo(line.rating or 0.0)
)  # fmt: skip

_BY_FORMAT = {
    "round-robin": (_SCORE, _BERGER),
    "swiss": (_SCORE, _BUCHHOLZ, _BERGER),
    "knockout": (_ROUNDS, _SCORE),
    "gauntlet": (_RATING, _SCORE),
    "ladder": (_RATING, _SCORE),
}


def marks(format: str) -> tuple[Mark, ...]:
    """Return the columns of a format, by its word in contest files."""
    return _BY_FORMAT[format]


def with_forfeits(played: int, not_played: int) -> str:
    """Write a number of wins or losses, with unplayed games after a plus sign."""
    return f"{played}+{not_played}" if not_played else str(played)


_RESULTS = {"first": ("1", "0"), "second": ("0", "1"), "draw": ("½", "½"), "none": ("0", "0")}

_POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0), "none": (0.0, 0.0)}


class Group(NamedTuple):
    """Games that are listed together."""

    title: str
    games: tuple[Game, ...]
    id: str = ""
    """Of a round: what links to it on a page of the server lead to, ``round-2-1`` for the first round of stage 2."""

    @property
    def has_programs(self) -> bool:
        """Tell whether the resource usage of any program is known."""
        return any(game.first_cpu is not None or game.second_cpu is not None for game in self.games)


def meetings(games: Sequence[Game]) -> list[Group]:
    """Group games by meetings; the titles have the points of both players."""
    found: dict[frozenset[str], list[Game]] = {}
    for game in games:
        found.setdefault(frozenset((game.first, game.second)), []).append(game)
    return [Group(_meeting(of_two), tuple(of_two)) for of_two in found.values()]


def rounds(games: Sequence[Game]) -> list[Group]:
    """Group games by stages and rounds, the newest of these first."""
    found: dict[tuple[str, str], list[Game]] = {}
    for game in games:
        title = f"Stage {game.stage}, round {game.round}" if game.stage else "Qualification"
        id = f"round-{game.stage}-{game.round}" if game.stage else "round-0"
        found.setdefault((title, id), []).append(game)
    return [Group(title, tuple(of_round), id) for (title, id), of_round in reversed(found.items())]


def match_of(number: int, games: Sequence[Game]) -> int | None:
    """Return the match number of the game with this number in the report."""
    return games[number - 1].match


def score(game: Game) -> str:
    """Write the result of a game, from the side that began."""
    return game.result if game.result == "annulled" else " : ".join(_RESULTS[game.result])


def ended(game: Game) -> str:
    """Write how a game ended."""
    reason = game.reason.replace("_", " ").replace("+", " and ")
    return f"{reason}: {game.sentence}" if game.sentence else reason


def programs(game: Game) -> str:
    """Write the resource usage of both programs, and how they ended."""
    if game.first_cpu is None and game.second_cpu is None:
        return "–"
    first = formatting.program(game.first_cpu, game.first_wall, game.first_memory, game.first_status)
    second = formatting.program(game.second_cpu, game.second_wall, game.second_memory, game.second_status)
    return f"{first} / {second}"


def _meeting(games: Sequence[Game]) -> str:
    one, other = games[0].first, games[0].second
    total = {one: 0.0, other: 0.0}
    for game in games:
        if game.counts and game.result in _POINTS:
            for name, value in zip((game.first, game.second), _POINTS[game.result], strict=True):
                total[name] += value
    return f"{one} {formatting.points(total[one])} : {formatting.points(total[other])} {other}"


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
