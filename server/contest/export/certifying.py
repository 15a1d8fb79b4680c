"""Certificates of adjudicated games in an export: makes them by solving, and checks them by the rules alone."""

from time import perf_counter

from engine import record
from engine.games.interface import Position
from engine.record import BadRecord
from engine.solve import certificate
from engine.solve.certificate import BadCertificate, Claim
from engine.solve.solver import Result, SolverLimits, solve
from engine.solve.strategy import NoStrategy, strategy
from engine.wire.words import number_of
from server.contest.definition import Definition
from server.contest.export.contents import certificate_name
from server.contest.export.proving import MEGABYTES
from server.contest.fixtures import Finished
from server.contest.runtime.proof import Proof, ruling
from server.contest.store.verification import Verdict

MEMORY = MEGABYTES << 20
"""Bytes for the tables of the solver."""

MAX_BYTES = 1 << 20
"""Of a certificate: a larger one is left out of an export, and of one that has it nothing is believed."""

MAX_POSITIONS = 20_000
"""Positions to which a strategy is followed at most, of both sides."""


def certificate_of(text: str, seconds: float) -> bytes | None:
    """Return a certificate of the last position of a record, for which it is solved within so many seconds.

    None where the record is not true, the position is no win or not solved in time, or the certificate is too large.
    """
    try:
        position = record.verify(text).history.position
        return _certificate(position, seconds)
    except (BadRecord, NoStrategy, OverflowError, MemoryError):
        return None


def _certificate(position: Position, seconds: float) -> bytes | None:
    limits = SolverLimits(memory=MEMORY, deadline=perf_counter() + seconds)
    solution = solve(position, limits, clock=perf_counter)
    if solution.result not in (Result.FIRST, Result.SECOND):
        return None
    moves = strategy(position, solution, memory=MEMORY, most=MAX_POSITIONS)
    winner = (Result.FIRST, Result.SECOND).index(solution.result)
    written = certificate.write(Claim(position, winner, solution.plies, moves)).encode()
    return written if len(written) <= MAX_BYTES else None


def _named(position: Position) -> tuple[str, str]:
    return position.game.name, position.text()


def check_certificate(definition: Definition, result: Finished, text: str, written: bytes) -> Verdict:
    """Play against the certificate of an adjudicated game in every way; ``text`` is the record of the game.

    The verdict has a difference where it proves nothing, or something else than the result.
    """
    try:
        history = record.verify(text).history
    except BadRecord:
        return Verdict(0, 0, ())  # which stands among the differences already
    try:
        if len(written) > MAX_BYTES:
            raise BadCertificate(f"it has {len(written)} bytes, and a certificate has at most {MAX_BYTES}")
        claim = certificate.read(written.decode(errors="replace"))
        if _named(claim.position) != _named(history.position):
            raise BadCertificate("line 1: the position is not the one in which the game was adjudicated")
        if claim.winner != result.winner:
            raise BadCertificate("line 1: the winner is not the one of the game")
        plies = certificate.check(claim).plies
        if ruling(history, definition.move_limit, result.fixture.players, Proof(claim.winner, plies)) is None:
            raise BadCertificate(
                f"it takes {number_of(plies, 'ply', 'plies')}, and a draw by rule or limit can come before"
            )
    except BadCertificate as error:
        return Verdict(0, 0, (f"{certificate_name(result.match)}: {error}".replace("\n", " "),))
    return Verdict(0, 0, ())
