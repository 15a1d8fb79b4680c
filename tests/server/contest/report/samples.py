"""Contests that were played by seed, at any moment, with entrants that are slow, hang and send nonsense."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest

from engine.games.interface import Termination
from server.contest.definition import Definition, Format, Qualification
from server.contest.fixtures import QUALIFICATION, Fixture, GameResult
from server.contest.formats.meetings import Gauntlet, Ladder, Pairs, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.plan import Plan, Present, plan
from server.contest.report.contents import make_report
from server.contest.report.progress import Moment
from server.contest.report.structure import Report
from tests.server.contest.played import CONTROL, by_seed, contest

OPENED = datetime(2026, 11, 20, 20, 15, tzinfo=UTC)

NONSENSE = "move 3 of a4, '\x1b[31m[bold]<script>alert(1)</script>\u202e', could not be read"
"""A sentence with a bot's text: terminal command, rich's markup, HTML, change of direction."""

FORMATS: list[Any] = [
    (RoundRobin(2),),
    (Swiss(3), Knockout(tie_breaks=1, control=CONTROL)),
    (Pairs(4, 0, 100),),
    pytest.param((Gauntlet(("a1", "a2")),), marks=pytest.mark.thorough),
    pytest.param((Ladder(20, 0),), marks=pytest.mark.thorough),
]
"""Stages of contests, of each format."""

Sample = tuple[Definition, list[GameResult], Plan, Moment]


def sample(
    entrants: int, *formats: Format, stop: int = 10**6, variants: int = 2, qualified: bool = True, advance: int = 0
) -> Sample:
    """Play a contest until it is over, or so many games are; each eleventh is annulled, and played again.

    In the contest a3 loses on time; in the qualification a4 sends nonsense, and a5 hangs.
    """
    rules = Qualification(("random",), CONTROL, 1, 2, 1) if qualified else None
    definition = contest(
        entrants, *formats, variants=variants, advance=advance, time_losses=3, qualification=rules
    )  # fmt: skip
    names = tuple(entrant.name for entrant in definition.entrants)
    result = by_seed(7, late=0.6, slow="a3")
    games: list[GameResult] = []
    began: dict[int, datetime] = {}
    while True:
        now = plan(definition, games, Present(frozenset(), names))
        games += now.forfeited
        for state in now.stages:
            began.setdefault(state.number, OPENED + timedelta(minutes=len(games)))
        if now.over or len(games) >= stop:
            break
        fixture = now.due[0]
        match = 1 + max((game.match or 0 for game in games), default=0)
        if match % 11 == 0:
            games.append(GameResult(fixture, match, None, Termination.SERVER_STOP, "the server was stopped", 4))
            match += 1
        games.append(_qualify(fixture, result(fixture))._replace(match=match))
    closed = OPENED + timedelta(hours=8) if now.over else None
    running = now.due[:2]
    return definition, games, now, Moment(OPENED + timedelta(hours=9), OPENED, closed, began, running, names[:1])


@cache
def sample_report(entrants: int, *formats: Format, stop: int = 10**6, advance: int = 0) -> Report:
    """Return the report of such a contest."""
    return make_report(*sample(entrants, *formats, stop=stop, advance=advance))


def _qualify(fixture: Fixture, game: GameResult) -> GameResult:
    if fixture.stage == QUALIFICATION:
        if "a3" in fixture.players:
            return game._replace(winner=fixture.players.index("a3"), termination="line", detail="", used=(5, 5))
        if "a4" in fixture.players:
            return game._replace(
                winner=1 - fixture.players.index("a4"), termination=Termination.BAD_MOVE, detail=NONSENSE
            )
        if "a5" in fixture.players:
            side = fixture.players.index("a5")
            ready = (side != 0, side != 1)
            return game._replace(winner=1 - side, termination=Termination.TIME, detail="a5 hung", plies=0, ready=ready)
    return game


def report_of(definition: Definition, games: list[GameResult]) -> Report:
    """Return the report of a contest after some games."""
    return make_report(definition, games, plan(definition, games), Moment(OPENED, OPENED))
