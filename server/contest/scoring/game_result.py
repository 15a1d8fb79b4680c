"""The result of a fixture: from its finished match, or because a player did not come."""

from collections.abc import Collection, Iterable

from engine.match.referee import State
from engine.wire.words import number_of
from server.contest.fixtures import ABSENT, Fixture, GameResult


def game_result(fixture: Fixture, state: State, gone: tuple[bool, bool]) -> GameResult:
    """Return the result of a fixture from its finished match; ``gone`` tells which side had no connection."""
    outcome = state.outcome
    assert outcome is not None
    return GameResult(
        fixture,
        state.header.match,
        outcome.winner,
        str(outcome.termination),
        outcome.detail,
        state.history.plies,
        state.used,
        state.ready,
        gone,
    )


def absence_result(fixture: Fixture, missing: Collection[str], why: str, termination: str = ABSENT) -> GameResult:
    """Return the result of a game to which one or both players did not come; the termination says why."""
    here = [side for side, name in enumerate(fixture.players) if name not in missing]
    return GameResult(fixture, None, here[0] if here else None, termination, why)


def results_by_absence(due: Iterable[Fixture], missing: Collection[str], patience: int) -> list[GameResult]:
    """Return the games that are lost because players have been missing for too long.

    To be asked when no game is being played, and none can begin.
    """
    lost = []
    for fixture in due:
        out = [name for name in fixture.players if name in missing]
        if out:
            lost.append(absence_result(fixture, out, missing_sentence(out, patience)))
    return lost


def missing_sentence(names: Collection[str], patience: int) -> str:
    """Return the sentence that players have been missing for a number of seconds."""
    return f"{' and '.join(names)} had been missing for {number_of(patience, 'second')}"
