"""The fit of all games of the ladder, made every night, and how far it agrees with the ratings that are shown."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
import structlog
import trio

from server.league.ladder.agreement import Agreement, agreement, levels_by_results, most_likely_ratings
from server.league.ladder.players import LadderPlayer
from server.league.ladder.rating import DAY
from server.league.ladder.store import LadderStore
from server.ops.typed_json import decode

log = structlog.get_logger()

HOUR = 3 * 3600.0
"""When all games are fitted, in seconds after midnight, UTC."""

LOOK_SECONDS = 60.0
"""How often to look whether it is time for that."""


class LadderFit(msgspec.Struct, frozen=True):
    """What a fit has found."""

    games: int
    agreement: Agreement
    likely: dict[str, float]
    """By player: the most likely rating of the version in play."""
    levels: dict[str, float] = {}
    """By fixed point: where the results have it if only one of them is held; see `levels_by_results`."""


def is_due(last: float | None, since: float, now: float) -> bool:
    """Tell whether it is time for a fit: the hour has come since the last one, or since the server began."""
    return (now - HOUR) // DAY > ((since if last is None else last) - HOUR) // DAY


def fit_ladder(store: LadderStore, players: Mapping[str, LadderPlayer]) -> LadderFit:
    """Fit all games, and compare. Takes seconds for many games."""
    games = store.games()
    starts = store.starts()
    likely = most_likely_ratings(games, players, starts)
    ratings = {one.name: one.rating for one in store.standings()}
    levels = levels_by_results(games, players, starts)
    return LadderFit(len(games), agreement(ratings, likely, players), likely, levels)


async def fit_every_night(
    store: LadderStore,
    players: Callable[[], Mapping[str, LadderPlayer]],
    *,
    now: Callable[[], float] = time.time,
    in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync,
) -> None:
    """Fit all games whenever that is due, until cancelled; a night that a server did not see is made up for."""
    since = now()
    while True:
        last = await in_thread(store.last_fit)
        if is_due(None if last is None else last[0], since, now()):
            found = await in_thread(fit_ladder, store, players())
            await in_thread(store.save_fit, msgspec.json.encode(found).decode())
            log.info("ladder_fitted", games=found.games, players=found.agreement.players, mean=found.agreement.mean)
        await trio.sleep(LOOK_SECONDS)


def read_fit(text: str) -> LadderFit:
    """Return what a fit has found, as the database has it."""
    return decode(text, type=LadderFit)
