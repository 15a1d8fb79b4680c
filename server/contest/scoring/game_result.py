"""The result of a fixture from its finished match."""

from server.contest.fixtures import Finished, Fixture
from server.match.referee import State


def game_result(fixture: Fixture, state: State, gone: tuple[bool, bool]) -> Finished:
    """Return the result of a fixture from its finished match; ``gone`` tells which side had no connection."""
    outcome, control = state.outcome, state.header.control
    assert outcome is not None
    moves = [sum(moved.side == side for moved in state.shown) for side in state.sides]
    return Finished(
        fixture,
        state.header.match,
        outcome.winner,
        str(outcome.termination),
        outcome.detail,
        state.history.plies,
        (
            control.budget + moves[0] * control.increment - state.clock.left[0],
            control.budget + moves[1] * control.increment - state.clock.left[1],
        ),
        state.ready,
        gone,
    )
