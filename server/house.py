"""The house bots: processes that the server starts and keeps seated, so that a newcomer finds an opponent at once."""

import os
import secrets
import subprocess

import structlog
import trio

from engine.catalogue import USUAL_GAME
from server.hall import Hall
from server.organise.invocation import Seat, filled, house_bot, variables
from server.settings import Settings

log = structlog.get_logger()

MOST_OF_A_KIND = 4
"""Bots of one kind that play at a time. Each takes a processor while it thinks."""

LOOK_SECONDS = 0.1
"""How often the house looks whether a seat is empty."""

SHORT_LIFE_SECONDS = 2.0
"""A bot that ends sooner without a match has failed."""

MOST_PAUSE_SECONDS = 60.0
"""Longest pause before a bot that fails again and again is started once more."""


async def keep_house(hall: Hall, settings: Settings) -> None:
    """Keep a bot of each kind waiting for an opponent, until cancelled; then end them all."""
    async with trio.open_nursery() as nursery:
        for kind, game in settings.house:
            nursery.start_soon(_keep_kind, hall, kind, game)


async def _keep_kind(hall: Hall, kind: str, game: str) -> None:
    first = kind if game == USUAL_GAME else f"{kind}-{game}"
    names = [first, *(f"{first}-{number}" for number in range(2, MOST_OF_A_KIND + 1))]
    for name in names:
        hall.house_tokens[name.lower()] = secrets.token_hex(16)
        hall.house_kinds[name.lower()] = first.lower()
    alive: set[str] = set()
    failures = 0

    async def run(name: str) -> None:
        nonlocal failures
        alive.add(name)
        began = trio.current_time()
        try:
            status = await _run_bot(hall, kind, game, name)
        finally:
            alive.discard(name)
        # a short match is no failure
        failures = failures + 1 if status != 0 and trio.current_time() - began < SHORT_LIFE_SECONDS else 0
        if failures:
            log.warning("house bot failed at once", bot=first, times=failures)

    async with trio.open_nursery() as nursery:
        while True:
            playing = {name.lower() for match in hall.matches.values() for name in match.header.players}
            idle = [name for name in alive if name.lower() not in playing]
            free = [name for name in names if name not in alive and name.lower() not in playing]
            if not idle and free:
                if failures:
                    await trio.sleep(min(MOST_PAUSE_SECONDS, 2**failures))
                nursery.start_soon(run, free[0])
            await trio.sleep(LOOK_SECONDS)


async def _run_bot(hall: Hall, kind: str, game: str, name: str) -> int:
    """Run a bot for one match, and return its exit status."""
    seat = Seat(*hall.own_address, name, game, hall.house_tokens[name.lower()])
    command, environment = filled(house_bot(kind), seat), {**os.environ, **variables(seat)}
    quiet = subprocess.DEVNULL
    ended = await trio.run_process(command, check=False, stdin=quiet, stdout=quiet, env=environment)
    return ended.returncode
