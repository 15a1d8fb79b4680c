"""Proves once more what games were adjudicated by."""

from engine import record
from engine.record import BadRecord
from server.contest.definition import Definition
from server.contest.fixtures import Finished
from server.contest.runtime.proof import ruling
from server.contest.runtime.prover_process import prove
from server.contest.store.verification import Verdict

MEGABYTES = 512
"""For the tables of the solver."""


def prove_adjudication(definition: Definition, result: Finished, text: str, seconds: float) -> Verdict:
    """Solve the last position of an adjudicated game anew, within so many seconds.

    The verdict has a difference where the proof is another one, and what is unproven where it was not found in time.
    """
    about = f"match {result.match}, {' against '.join(result.fixture.players)}"
    try:
        history = record.verify(text).history
    except BadRecord:
        return Verdict(0, 0, ())  # which stands among the differences already
    proof = prove(history.position, seconds, MEGABYTES)
    if proof is None:
        return Verdict(0, 0, (), (f"{about}: adjudicated, and not to be proven anew in {seconds:g} seconds",))
    sentence = ruling(history, definition.move_limit, result.fixture.players, proof)
    if sentence is None:
        return Verdict(0, 0, (), (f"{about}: adjudicated, and a win whose bound is too wide for the limits is proven",))
    if proof.winner == result.winner:
        return Verdict(0, 0, ())
    return Verdict(0, 0, (f"{about}: adjudicated otherwise than is proven: {sentence}",))
