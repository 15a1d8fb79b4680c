"""What a game was adjudicated by is proven anew, and an adjudication that is not true is named."""

from collections.abc import Iterable

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.record import Header
from server.contest.export.proving import prove_adjudication
from server.contest.fixtures import Finished, Fixture
from server.contest.store.verification import Verdict
from server.match import referee
from tests.server.contest.runtime.test_verify_process import CONTROL, DEFINITION

FIXTURE = Fixture(0, 1, 0, 0, 0, ("ann", "bob"))
MOVES = ("a1", "b1", "a2", "b2")
"""Ann wins with her next move."""


def adjudicated(position: Position, players: tuple[str, str], number: int, moves: Iterable[str], winner: int) -> str:
    """Return the record of a game that was adjudicated so, after some moves."""
    header = Header(number, position, players, CONTROL, 50, "test", "2026-11-22T12:00:00.000Z")
    state, lines, now = referee.begin(header), [header.text()], 0

    def take(step: referee.Step) -> referee.State:
        lines.extend(effect.line for effect in step[1] if isinstance(effect, referee.WriteRecord))
        return step[0]

    for side in (0, 1):
        now += 1_000
        state = take(referee.ready(state, side, now))
    for ply, move in enumerate(moves):
        now += 1_000
        state = take(referee.move(referee.start_turn(state, now), ply % 2, move, now + 10))
    take(referee.adjudicate(state, winner, "as exact solving has proven", now + 1_000))
    return "".join(lines)


@pytest.mark.parametrize(
    ("winner", "differences"),
    [
        (0, ()),
        (1, ("match 7, ann against bob: adjudicated otherwise than is proven: ann (first) wins in 1 ply, as exact "
             "solving has proven",)),
    ],
)  # fmt: skip
def test_an_adjudication_is_proven_anew(winner: int, differences: tuple[str, ...]) -> None:
    position = GAMES["mnk"].read(FIXTURE.position(DEFINITION))
    text = adjudicated(position, FIXTURE.players, 7, MOVES, winner)
    result = Finished(FIXTURE, 7, winner, "adjudicated")
    assert prove_adjudication(DEFINITION, result, text, 1e6) == Verdict(0, 0, differences)
