"""Groups the games of a report, and formats a game for their tables."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.record import readable
from server.contest.report import formatting
from server.contest.report.structure import Game

_RESULTS = {"first": ("1", "0"), "second": ("0", "1"), "draw": ("½", "½"), "none": ("0", "0")}

_POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0)}


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
    return f"{reason}: {readable(game.sentence)}" if game.sentence else reason


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
