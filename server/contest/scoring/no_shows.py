"""Who does not come: games of entrants that are missing are lost, but only when there is nothing else to play."""

from collections.abc import Collection, Iterable

from server.contest.fixtures import ABSENT, Finished, Fixture


def absence_result(fixture: Fixture, missing: Collection[str], why: str, termination: str = ABSENT) -> Finished:
    """Return the result of a game to which one player, or both, did not come; the termination says in which way."""
    here = [side for side, name in enumerate(fixture.players) if name not in missing]
    return Finished(fixture, None, here[0] if here else None, termination, why)


def results_by_absence(due: Iterable[Fixture], missing: Collection[str], patience: int) -> list[Finished]:
    """Return the games that are lost because somebody has been missing for longer than all are waited for.

    To be asked when no game is being played, and none can begin.
    """
    lost = []
    for fixture in due:
        out = [name for name in fixture.players if name in missing]
        if out:
            lost.append(absence_result(fixture, out, missing_sentence(out, patience)))
    return lost


def missing_sentence(names: Collection[str], patience: int) -> str:
    """Say that players have been missing for longer than they are waited for, in seconds."""
    return f"{' and '.join(names)} had been missing for {patience} seconds"
