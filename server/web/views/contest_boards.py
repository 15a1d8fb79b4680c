"""The running games of a contest, as its pages show them: later rounds first, then lower match numbers."""

from collections.abc import Iterable

from engine.games.interface import Position
from server.contest.fixtures import QUALIFICATION
from server.contest.report.structure import Report, ScheduledGame
from server.match.match import Match

QUALIFYING = QUALIFICATION + 1
"""The number of the qualification in the schedule of a report."""


def games_of(report: Report, matches: Iterable[Match]) -> list[Match]:
    """Return the running matches that are games of a contest, as far as its report can tell, in their order."""
    games = [match for match in matches if _belongs(report, match)]
    return sorted(games, key=lambda match: (-round_of(report, match.header.players), match.number))


def round_of(report: Report, players: tuple[str, str]) -> int:
    """Return the round of a running game, 0 where the report does not know of it yet."""
    found = _scheduled(report, players)
    return found.round if found is not None and found.stage != QUALIFYING else 0


def _belongs(report: Report, match: Match) -> bool:
    players = match.header.players
    if report.state == "over" or _variant_of(match.header.position) not in {one.name for one in report.variants}:
        return False
    return set(players) <= set(report.entrants) or _scheduled(report, players) is not None


def _variant_of(position: Position) -> str:
    return f"{position.game.name} {position.parameters}".strip()


def _scheduled(report: Report, players: tuple[str, str]) -> ScheduledGame | None:
    return next((game for game in report.schedule if game.running and (game.first, game.second) == players), None)
