"""A contest as its organiser sees it: who is in and out, what is played and was played last, and changes to it."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.games.outcome import ANNULLED
from server.contest.fixtures import Fixture, GameResult, counted_games
from server.contest.interventions import is_cancelled, is_paused
from server.contest.report.progress import progress_text
from server.contest.runtime.organiser_commands import InterventionRequest, intervene, open_contest
from server.contest.runtime.service import ContestSnapshot, take_snapshot
from server.contest.scoring.disqualification import find_disqualified
from server.contest.store.store import FILE, Contest, Store
from server.league.accounts.accounts import Accounts

MAX_GAMES = 50
"""Games that are listed, the last ones."""


def contest_values(row: Contest, found: ContestSnapshot, running: dict[int, Fixture]) -> dict[str, Any]:
    """Return what the template shows of a contest; ``running`` are its running games by match."""
    definition, games = found.definition, found.games
    counting = counted_games(games)
    return {
        "row": row,
        "progress": progress_text(*found),
        "is_paused": is_paused(definition.interventions),
        "is_cancelled": is_cancelled(definition.interventions),
        "entrants": definition.entrants,
        "out": {name: one.reason for name, one in find_disqualified(definition, counting).items()},
        "running": running,
        "games": [
            (game.match, game.fixture.players, _result(game), game in counting) for game in games[: -MAX_GAMES - 1 : -1]
        ],
        "interventions": definition.interventions[::-1],
    }


def _result(game: GameResult) -> str:
    reason = str(game.termination).replace("_", " ").replace("+", " and ")
    if game.termination in ANNULLED:
        return f"annulled ({reason})"
    if game.winner is None:
        return f"{'draw' if game.shared else 'no winner'} ({reason})"
    return f"{game.fixture.players[game.winner]} won ({reason})"


def change_contest(data: Path, accounts: Accounts, contest: str | int, asked: InterventionRequest, by: str) -> str:
    """Make an intervention in a contest that is not over, and return a sentence about its effects, without its end.

    The contest is given by its name or its number; with an empty name it is the only one that is not over. Raises
    `BadIntervention`, `BadStore` and OSError, and KeyError for a number that none has; for a thread, since it waits for
    the disk.
    """
    with closing(Store(data / FILE)) as store:
        found = open_contest(store, store.contest(contest).name if isinstance(contest, int) else contest)
        done, follows = intervene(store, found.id, asked, datetime.now(UTC))
    accounts.note(by, f"{found.name}: {done.sentence}")
    return f"{found.name}: {done.sentence}; {follows}"


def read_contest(data: Path, number: int) -> dict[str, Any]:
    """Return what the page of a contest shows; raises KeyError where there is none, and `BadStore`. For a thread."""
    with closing(Store(data / FILE)) as store:
        found = take_snapshot(store, number, datetime.now(UTC))
        return contest_values(store.contest(number), found, store.begun(number))
