"""``arena-engine solve`` finds out who wins with perfect play, ``check`` verifies a certificate by the rules alone."""

from pathlib import Path
from time import perf_counter

from engine.commands.inputs import File, Source, check_seconds, game_named, place_of, position_of, text_of, warn_of
from engine.commands.program import Rejected, answer, say
from engine.games.catalogue import title_of
from engine.games.interface import Position
from engine.solve import certificate
from engine.solve.certificate import BadCertificate, Claim, NoStrategy, strategy
from engine.solve.solver import Result, Solution, SolverLimits, solve, solver_kernels
from engine.solve.tablebase import tablebase_of
from engine.wire.words import number_of

MEGABYTE = 1 << 20

MIN_MEMORY = 16
"""Megabytes below which a limit means little: interpreter and libraries take more than that themselves."""

MAX_POSITIONS = 1_000_000
"""A certificate grows to no more positions than these: some hundred megabytes of text."""

MAX_CERTIFICATE_BYTES = 1 << 30

QUIET_SECONDS = 1.0
"""Progress is told no more often than this."""


def solve_game(
    game: str,
    /,
    *,
    params: str | None = None,
    position: File = None,
    time: float | None = None,
    memory: int = 1024,
    proof: Path | None = None,
) -> None:
    """Find out who wins with perfect play: `result first|second|draw|unknown`, then what is known of its length.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with a position to solve; - is standard input.
    time
        Seconds after which to give up; without it, however long it takes.
    memory
        Megabytes for tables and positions, beside the program's own 200 or so.
    proof
        File for a certificate of the win: what the winner plays, which arena-engine check verifies by the rules alone.
    """
    check_seconds("time", time)
    if memory < MIN_MEMORY:
        raise Rejected(f"--memory is {memory}, but it has to be at least {MIN_MEMORY} megabytes")
    root = position_of(game_named(game), params, position)
    warn_of(root)
    began = perf_counter()
    limits = SolverLimits(memory=memory * MEGABYTE, deadline=None if time is None else began + time)
    solution = solve(
        root,
        limits,
        clock=perf_counter,
        progress=_Reporter(began).report,
        tablebase=None if proof is not None else tablebase_of(root),
        kernels=solver_kernels(
            root, lambda: say(f"{title_of(root)} is being compiled beside, for what cannot be solved sooner")
        ),
    )
    answer(f"result {solution.result}")
    if solution.plies is not None:
        answer(f"plies {solution.plies}")
    elif solution.within is not None:
        answer(f"within {solution.within}")
    if proof is not None:
        _write_proof(proof, root, solution, memory)
    say(f"{_figures(solution)}, in {perf_counter() - began:.1f} s")


def check_certificate(file: Source, /) -> None:
    """Play against a certificate in every way: `true WINNER`, with the longest game and the number of positions.

    Parameters
    ----------
    file
        The certificate, as arena-engine solve --proof writes it; - is standard input.
    """
    try:
        claim = certificate.read(text_of(file, MAX_CERTIFICATE_BYTES))
        checked = certificate.check(claim)
    except BadCertificate as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    answer(f"true {('first', 'second')[claim.winner]}")
    answer(f"plies {checked.plies}")
    answer(f"positions {checked.positions}")


def _write_proof(file: Path, root: Position, solution: Solution, memory: int) -> None:
    """Write a certificate, or say why there is none."""
    try:
        moves = strategy(root, solution, memory=memory * MEGABYTE, most=MAX_POSITIONS)
        winner = (Result.FIRST, Result.SECOND).index(solution.result)
        file.write_text(certificate.write(Claim(root, winner, solution.plies, moves)), encoding="utf-8")
    except NoStrategy as error:
        say(f"no proof is written: {error}")
    except OSError as error:
        raise Rejected(f"--proof: {file} cannot be written: {error.strerror}") from None
    else:
        say(f"a proof with {number_of(len(moves), 'move')} of the winner is in {file}")


class _Reporter:
    """Tells the progress of a solver, not too often."""

    def __init__(self, began: float) -> None:
        self._last = began

    def report(self, solution: Solution) -> None:
        """Tell what is known now."""
        if perf_counter() - self._last >= QUIET_SECONDS:
            self._last = perf_counter()
            say(_figures(solution))


def _figures(solution: Solution) -> str:
    words = [
        f"no forced win within {number_of(solution.refuted, 'ply', 'plies')}"
        if solution.refuted > 0
        else "looked for forced wins"
    ]
    words.append(number_of(solution.nodes, "node"))
    if solution.positions:
        words.append(f"{number_of(solution.positions, 'position')} of layers solved")
    return ", ".join(words)
