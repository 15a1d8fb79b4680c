"""Chooses which of the due games can begin now."""

from collections.abc import Collection, Iterable

from server.contest.definition import Definition
from server.contest.fixtures import Fixture


def games_to_start(
    definition: Definition,
    due: Iterable[Fixture],
    running: Collection[Fixture],
    connected: Collection[str],
    cores: int,
    others: int = 0,
) -> list[Fixture]:
    """Return the due games that can begin now, in order, in addition to those that are running.

    An entrant that connects by itself plays one game at a time, while it is connected. A program that the server
    starts, built-in bots included, has a core of its own as long as its game lasts, so that no bot thinks on another's
    processor time; ``cores`` is how many the machine has, if the contest does not say how many it may take. A game that
    needs more than there are at all is played by itself. No game overtakes one that needs more cores than are free:
    that one would wait for ever. ``others`` of the machine's cores are not for this contest.
    """
    most = definition.games_at_once or len(definition.entrants) ** 2
    all_cores, cores = max(cores, definition.cores), definition.cores or cores
    connecting = {entrant.name for entrant in definition.entrants if entrant.connects}
    begun = list(running)
    busy = {name for fixture in begun for name in fixture.players}
    taken = sum(_programs(fixture, connecting) for fixture in begun)
    chosen = []
    blocked = False
    for fixture in due:
        if len(begun) >= most:
            break
        needed = _programs(fixture, connecting)
        if any(name in connecting and (name not in connected or name in busy) for name in fixture.players):
            continue
        fits = taken + needed <= min(cores, all_cores - others) or taken + others == 0
        blocked = blocked or (not fits and needed > 0)
        if blocked and not connecting:
            break
        if needed == 0 or not blocked:
            chosen.append(fixture)
            begun.append(fixture)
            busy |= set(fixture.players)
            taken += needed
    return chosen


def _programs(fixture: Fixture, connecting: Collection[str]) -> int:
    """Return the number of programs that the server has to start for a game."""
    return sum(name not in connecting for name in fixture.players)
