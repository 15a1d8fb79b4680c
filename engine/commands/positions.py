"""Commands on a position: perft, analysis, solution, the verification of proofs and tablebases, and precompilation."""

import os
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from engine.commands.inputs import (
    File,
    GameName,
    Params,
    Source,
    Time,
    place_of,
    position_of,
    say_interpreted,
    start_of,
    text_of,
    within,
)
from engine.commands.program import Rejected, answer, install_line, reason, say
from engine.compiling.binding import can_compile, is_installed, mark_code_complete
from engine.games.catalogue import GAMES, title_of
from engine.games.interface import Position
from engine.games.kernels import COUNTING, KernelSource, Purpose
from engine.games.perft import Counter, count as count_leaves
from engine.search.alphabeta import LOOKING_UP, SEARCHING
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_CHILDREN, MAX_DEPTH
from engine.search.searcher import AdaptiveSearcher, SearchLimits, SearchResult, warm_up
from engine.solve import certificate
from engine.solve.layers import (
    ExactValue,
    Name,
    all_places,
    expected_value,
    layers_below,
    pair_of,
    position_at,
    random_places,
)
from engine.solve.solver import (
    SOLVING,
    Result,
    Solution,
    SolverLimits,
    solve,
    solver_kernels,
    warm_up as warm_up_solver,
)
from engine.solve.tablebase import tablebase_of
from engine.wire.words import number_of

MEGABYTE = 1 << 20

MIN_MEMORY = 16
"""Smallest memory limit in megabytes: interpreter and libraries take more than that."""

MAX_MEMORY = 1 << 20
"""Largest memory limit in megabytes."""

MAX_POSITIONS = 1_000_000
"""Most positions of a certificate: some hundred megabytes of text."""

MAX_CERTIFICATE_BYTES = 1 << 30

MAX_SHOWN = 10
"""Faults of a tablebase that are shown."""

PROGRESS_SECONDS = 1.0
"""Least time between two lines of progress."""


def solve_game(
    game: GameName,
    /,
    *,
    params: Params = None,
    position: File = None,
    time: Time = None,
    memory: Annotated[int, within("memory", MIN_MEMORY, MAX_MEMORY)] = 1024,
    proof: Path | None = None,
) -> None:
    """Find the result of perfect play: `result first|second|draw|unknown`, then the length if it is known.

    Parameters
    ----------
    position
        File with a position to solve; - is standard input.
    time
        Time limit in seconds; without it there is no limit.
    memory
        Megabytes for tables and positions, in addition to some 200 of the program.
    proof
        File for a certificate of the win, which arena-engine check verifies by the rules alone.
    """
    root = position_of(game, params, position)
    say_interpreted()
    began = reported = perf_counter()

    def progress(solution: Solution) -> None:
        nonlocal reported
        if perf_counter() - reported >= PROGRESS_SECONDS:
            reported = perf_counter()
            say(_figures(solution))

    limits = SolverLimits(memory=memory * MEGABYTE, deadline=None if time is None else began + time)
    solution = solve(
        root,
        limits,
        clock=perf_counter,
        progress=progress,
        tablebase=None if proof is not None else tablebase_of(root),
        kernels=solver_kernels(
            root, lambda: say(f"{title_of(root)} is being compiled in the background, for a faster search")
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
    """Verify a certificate by all moves of the loser: `true WINNER`, then the longest game and the positions.

    Parameters
    ----------
    file
        The certificate from arena-engine solve --proof; - is standard input.
    """
    try:
        claim = certificate.read(text_of(file, MAX_CERTIFICATE_BYTES))
        plies, positions = certificate.check(claim)
    except certificate.BadCertificate as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    answer(f"true {certificate.SIDES[claim.winner]}")
    answer(f"plies {plies}")
    answer(f"positions {positions}")


def _write_proof(file: Path, root: Position, solution: Solution, memory: int) -> None:
    """Write a certificate, or the reason why there is none."""
    try:
        moves = certificate.strategy(root, solution, memory=memory * MEGABYTE, most=MAX_POSITIONS)
        winner = (Result.FIRST, Result.SECOND).index(solution.result)
        file.write_text(certificate.write(certificate.Claim(root, winner, solution.plies, moves)), encoding="utf-8")
    except certificate.NoStrategy as error:
        say(f"no proof is written: {error}")
    except OSError as error:
        raise Rejected(f"--proof: {file} cannot be written: {reason(error)}") from None
    else:
        say(f"a proof with {number_of(len(moves), 'move')} of the winner is in {file}")


def _figures(solution: Solution) -> str:
    plies = number_of(max(0, solution.refuted), "ply", "plies")
    return f"no forced win within {plies}, {number_of(solution.nodes, 'node')}" + (
        f", {number_of(solution.positions, 'position')} of layers solved" if solution.positions else ""
    )


def verify(
    game: GameName,
    params: Annotated[str, Parameter(help="The variant, as in 3,3,6,6.")],
    /,
    *,
    positions: Annotated[int, within("positions", 1, MAX_POSITIONS)] = 10_000,
    seed: int = 1,
    every: bool = False,
) -> None:
    """Verify a tablebase by the rules alone: each value must follow from the values after all moves.

    Checksums of layers are verified first. If some are wrong, only positions of these layers are verified. Each wrong
    position is shown with its byte in the file. The exit status is 0 for a right tablebase, 1 for a wrong one, and 2 if
    there is none.

    Parameters
    ----------
    positions
        Number of random positions to verify.
    seed
        Seed of the random positions.
    every
        Verify every position, some thousand a second, which proves the whole tablebase.
    """
    import numpy  # noqa: F401  # tablebases are arrays: where it is missing, nothing can be looked up

    position = start_of(game, params)
    book = tablebase_of(position)
    if book is None:
        raise Rejected(f"{title_of(position)} has no tablebase")
    layers = book.opened()
    names = [name for pair in layers_below(book.extent) for name in pair_of(pair)]
    changed = [] if layers is None else [name for name in layers.differing() if name in names]
    if layers is None or not all(map(layers.is_solved, names)):
        make = f"arena-engine precompile {game} {position.parameters!r}"
        raise Rejected(f"the tablebase of {title_of(position)} is missing or incomplete; make it with {make}")
    for name in changed:
        say(f"layer {_called(name)}: its values differ from their checksum")
    names = changed or names
    places = all_places(layers, names) if every else random_places(layers, names, seed)
    states = ((place, state) for place in places if (state := position_at(layers, place)) is not None)
    looked_at = faults = 0
    for (name, number), state in islice(states, None if every else positions):
        looked_at += 1
        found, expected = layers.exact_value(state), expected_value(layers, state)
        if found != expected:
            faults += 1
            if faults <= MAX_SHOWN:
                place = f"layer {_called(name)}, place {number}, byte {layers.place_of(name, number)} of the file"
                say(f"{place}: {_words(found)}, but by the rules {_words(expected)}")
    answer(f"{number_of(looked_at, 'position')}, {faults} of them with a value that does not follow from the rules")
    if faults or changed:
        raise Rejected(f"the tablebase of {title_of(position)} is wrong", 1)


def _called(name: Name) -> str:
    return f"{name[0]} {name[1]}"


def _words(value: ExactValue | None) -> str:
    if value is None:
        return "nothing"
    return "draw" if value.result == 0 else f"{'win' if value.result > 0 else 'loss'} in {value.plies}"


START_LEAVES = 50_000
"""Leaves counted with interpreted rules before a compile process starts: a tenth of a second."""

MIN_SECONDS = 1e-9
"""Least time of a count, so that it has a rate."""


def perft(
    game: GameName,
    /,
    *,
    depth: int,
    params: Params = None,
    position: File = None,
    unique: bool = False,
    divide: bool = False,
    interpreted: bool = False,
) -> None:
    """Count the leaves of the tree of moves, with a line for each depth: `perft DEPTH COUNT SECONDS RATE`.

    The rules are interpreted until they are compiled.

    Parameters
    ----------
    depth
        Largest depth in plies, 0 or more.
    position
        File with a position to begin at; - is standard input.
    unique
        Count moves of a node that lead to the same position once.
    divide
        Also show the leaves of each move at the last depth: `divide COUNT MOVE`.
    interpreted
        Do not compile the rules.
    """
    if depth < 0:
        raise Rejected(f"--depth is {depth}, but leaves are counted at depths of 0 and more")
    root = position_of(game, params, position)

    def compiling() -> None:
        say(f"compiling the rules of {title_of(root)}; until then they are interpreted")

    kernels = KernelSource(root, COUNTING, compile_from=START_LEAVES, compiling=compiling)
    counter = Counter(unique=unique, is_compiled=(lambda _: False) if interpreted else kernels.spend)
    branches = []
    for plies in range(min(1, depth), depth + 1):
        began = perf_counter()
        if divide and plies == depth and depth > 0:
            branches = counter.divide(root, depth)
            leaves = sum(count for _, count in branches)
        else:
            leaves = counter.count(root, plies)
        seconds = perf_counter() - began
        answer(f"perft {plies} {leaves} {seconds:.6f} {leaves / max(seconds, MIN_SECONDS):.0f}")
    for move, count in branches:
        answer(f"divide {count} {move}")


def analyse(
    game: GameName,
    /,
    *,
    params: Params = None,
    position: File = None,
    time: Time = None,
    depth: Annotated[int, within("depth", 1, MAX_DEPTH)] = MAX_DEPTH,
    lines: Annotated[int, within("lines", 1, MAX_CHILDREN)] = 1,
    exact: bool = False,
    threads: Annotated[int, within("threads", 1, MAX_THREADS)] = 1,
    no_tablebase: bool = False,
    json: bool = False,
) -> None:
    """Search a position, with a line for each completed depth: score, nodes, nodes per second, best line.

    Scores are for the side to move, and a piece of GIPF is worth 100. `win 3` is a win in 3 plies, `loss 4` is a loss
    in 4 plies. The search ends when the result is proven. If the time is over before the first depth, the only line has
    `depth 0 score none` (in JSON `null`).

    Parameters
    ----------
    position
        File with a position to search; - is standard input.
    time
        Time limit in seconds; without it and without a depth, until Ctrl-C.
    depth
        Largest depth in plies.
    lines
        Number of best moves to show, each on a line that begins with its rank.
    exact
        Search every move to the full depth, which finds the shortest wins.
    threads
        Threads that search at the same time; at most the number of idle cores.
    no_tablebase
        Search also positions of a tablebase, which exists for small boards of GIPF. By default they are answered from
        the tablebase at once, with the shortest wins.
    json
        Print each line as a JSON object with depth, score, plies_to_end, nodes, seconds, pv, and is_known: whether the
        score is exact, from the tablebase.
    """
    root = position_of(game, params, position)
    outcome = root.outcome
    if outcome is not None:
        raise Rejected(f"the game is over: {outcome.detail}")
    began = perf_counter()
    limits = SearchLimits(depth=depth, hard_ms=None if time is None else time * 1000, lines=lines, exact=exact)
    report = partial(_print_json, root) if json else partial(_print_result, root, lines > 1)
    exact_values = None if no_tablebase else tablebase_of(root)
    if exact_values is not None and (known := exact_values.results(root, lines)):
        for result in known:
            report(result._replace(seconds=perf_counter() - began))
        return
    say_interpreted()
    searcher = AdaptiveSearcher(root, threads=threads, tablebase=exact_values)
    result = searcher.think(root, (), limits, clock=perf_counter, report=report)
    if result.score is None:
        report(result)


def _print_result(root: Position, ranked: bool, result: SearchResult) -> None:
    plies = result.plies_to_end
    if result.score is None:
        score = "none"
    else:
        score = str(result.score) if plies is None else f"{'win' if plies > 0 else 'loss'} {abs(plies)}"
    rate = result.nodes / max(result.seconds, MIN_SECONDS)
    line = ", ".join(_line(root, result)) or "none"
    rank = f"line {result.rank} " if ranked else ""
    answer(
        f"{rank}depth {result.depth} score {score} nodes {result.nodes} seconds {result.seconds:.3f} "
        f"rate {rate:.0f} pv {line}"
    )


def _print_json(root: Position, result: SearchResult) -> None:
    fields = {
        "depth": result.depth,
        "line": result.rank,
        "score": result.score,
        "plies_to_end": result.plies_to_end,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 6),
        "pv": _line(root, result),
        "is_known": result.is_known,
    }
    answer(msgspec.json.encode(fields).decode())


def _line(root: Position, result: SearchResult) -> list[str]:
    """Return the best line. Empty if no depth was completed."""
    return [] if result.score is None else result.pv(root)


LEAST_PRIORITY = 19

WARM_UPS: dict[Purpose, Callable[[Position], object]] = {
    SEARCHING: warm_up,
    SOLVING: warm_up_solver,
    COUNTING: lambda position: count_leaves(position, 1),
}
"""For each purpose, a function that compiles all its code."""


def precompile(
    game: str = "",
    params: Params = None,
    /,
    *,
    purpose: Literal["search", "solve", "tablebase", "perft"] | None = None,
    background: bool = False,
    attached: Annotated[bool, Parameter(show=False)] = False,
) -> None:
    """Compile search and solver for later commands and bots, and compute tablebases.

    Parameters
    ----------
    game
        The game's name; without it every game.
    purpose
        search for bots and analyse, solve, or tablebase for the exact values of a small variant; without it all of
        these. perft is compiled only on request.
    background
        Run at the lowest priority.
    attached
        End if standard input ends without a byte: the process that started this one was killed.
    """
    if attached:
        Thread(target=_end_with_parent, daemon=True).start()
    if background and hasattr(os, "nice"):  # not on Windows
        os.nice(LEAST_PRIORITY)
    for name in [game] if game else GAMES:
        position = start_of(name, params)
        for each in WARM_UPS:
            if purpose == each.name or (purpose is None and each != COUNTING):
                compile_for(position, each)
        if purpose in (None, LOOKING_UP.name):
            make_tablebase(position)


def _end_with_parent() -> None:
    """End this process when its standard input ends, unless a byte comes first."""
    if not os.read(0, 1):
        os._exit(1)


def compile_for(position: Position, purpose: Purpose) -> None:
    """Compile for one purpose, unless it was done before, with a message on stderr."""
    is_ready = KernelSource(position, purpose).is_ready
    _provide(position, purpose.name, "compiled", is_ready, partial(WARM_UPS[purpose], position))


def make_tablebase(position: Position) -> None:
    """Compute the tablebase of a position's variant, if it has one, with a message on stderr."""
    book = tablebase_of(position)
    if book is not None:
        _provide(position, LOOKING_UP.name, "made", book.is_made, book.make)


def _provide(
    position: Position, name: str, verb: str, is_there: Callable[[], bool], make: Callable[[], object]
) -> None:
    """Make the files of a purpose, unless they exist, with a message on stderr."""
    what = f"{title_of(position)}, {name}"
    if not is_installed("numba"):
        raise Rejected(f"{what}: nothing is {verb}; {install_line('fast')} installs the compiler", status=1)
    if not can_compile():
        say(f"{what}: nothing is {verb}, NUMBA_DISABLE_JIT says so")
    elif is_there():
        say(f"{what}: {verb} before")
    else:
        began = perf_counter()
        make()
        mark_code_complete(name)
        say(f"{what}: {verb} in {perf_counter() - began:.1f} s")
