"""Commands on a position: its perft, its analysis, its solution, and proofs of it that the rules alone verify."""

from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Annotated

import msgspec

from engine.commands.inputs import (
    File,
    Source,
    Time,
    place_of,
    position_of,
    say_interpreted,
    start_of,
    text_of,
    within,
)
from engine.commands.program import Rejected, answer, say
from engine.games.catalogue import title_of
from engine.games.interface import Position
from engine.games.kernels import COUNTING, KernelSource
from engine.games.perft import Counter
from engine.search.game_engine import AdaptiveSearcher
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH, ROOM
from engine.search.searcher import SearchLimits, SearchResult
from engine.solve import certificate
from engine.solve.certificate import BadCertificate, Claim, NoStrategy, strategy
from engine.solve.layers import Judgement, Name, all_places, both, expected_value, needed, position_at, random_places
from engine.solve.solver import Result, Solution, SolverLimits, solve, solver_kernels
from engine.solve.tablebase import tablebase_of
from engine.wire.words import number_of

MEGABYTE = 1 << 20

MIN_MEMORY = 16
"""Megabytes below which a limit means little: interpreter and libraries take more than that themselves."""

MAX_MEMORY = 1 << 20
"""No limit of memory is larger, in megabytes."""

MAX_POSITIONS = 1_000_000
"""A certificate grows to no more positions than these: some hundred megabytes of text."""

MAX_CERTIFICATE_BYTES = 1 << 30

MAX_SHOWN = 10
"""Faults of a tablebase that are shown."""

QUIET_SECONDS = 1.0
"""Progress is told no more often than this."""


def solve_game(
    game: str,
    /,
    *,
    params: str | None = None,
    position: File = None,
    time: Time = None,
    memory: Annotated[int, within("memory", MIN_MEMORY, MAX_MEMORY)] = 1024,
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
    root = position_of(game, params, position)
    say_interpreted()
    began = told = perf_counter()

    def progress(solution: Solution) -> None:
        nonlocal told
        if perf_counter() - told >= QUIET_SECONDS:
            told = perf_counter()
            say(_figures(solution))

    limits = SolverLimits(memory=memory * MEGABYTE, deadline=None if time is None else began + time)
    solution = solve(
        root,
        limits,
        clock=perf_counter,
        progress=progress,
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
        plies, positions = certificate.check(claim)
    except BadCertificate as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    answer(f"true {certificate.SIDES[claim.winner]}")
    answer(f"plies {plies}")
    answer(f"positions {positions}")


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


def _figures(solution: Solution) -> str:
    plies = number_of(max(0, solution.refuted), "ply", "plies")
    words = f"no forced win within {plies}, {number_of(solution.nodes, 'node')}"
    return words + (f", {number_of(solution.positions, 'position')} of layers solved" if solution.positions else "")


def verify(
    game: str,
    params: str,
    /,
    *,
    positions: Annotated[int, within("positions", 1, MAX_POSITIONS)] = 10_000,
    seed: int = 1,
    every: bool = False,
) -> None:
    """Verify the tablebase of a variant by the rules alone: each value has to follow from those that moves lead to.

    The layers' checksums are looked at first; where some do not fit, only positions of these layers are. Each that is
    wrong is named, with its byte in the file. The exit status is 0 where all is right, 1 where something is not, and 2
    where there is nothing to look at.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in "3 3 6 6".
    positions
        How many random positions to look at.
    seed
        Of what is random: the same seed has the same positions.
    every
        Look at every position, in place of random ones. That proves the whole tablebase; some thousand
        positions a second are looked at.
    """
    import numpy  # noqa: F401  # tablebases are arrays: where it is missing, nothing can be looked up

    position = start_of(game, params)
    book = tablebase_of(position)
    if book is None:
        raise Rejected(f"{title_of(position)} has no tablebase")
    layers = book.opened()
    names = [name for pair in needed(book.extent) for name in both(pair)]
    changed = [] if layers is None else [name for name in layers.differing() if name in names]
    if layers is None or not all(map(layers.is_there, names)):
        make = f"arena-engine precompile {game} {position.parameters!r}"
        raise Rejected(f"the tablebase of {title_of(position)} is not there, or not as a whole; make it with {make}")
    for name in changed:
        say(f"layer {_called(name)}: its values differ from their checksum")
    names = changed or names
    places = all_places(layers, names) if every else random_places(layers, names, seed)
    states = ((place, state) for place in places if (state := position_at(layers, place)) is not None)
    looked_at = faults = 0
    for (name, number), state in islice(states, None if every else positions):
        looked_at += 1
        found, expected = layers.judgement(state), expected_value(layers, state)
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


def _words(value: Judgement | None) -> str:
    if value is None:
        return "nothing"
    return "draw" if value.result == 0 else f"{'win' if value.result > 0 else 'loss'} in {value.plies}"


START_LEAVES = 50_000
"""Leaves counted interpreted after which a process is started that compiles: a tenth of a second."""

SHORTEST = 1e-9
"""Seconds that a count takes at least, for the sake of its rate."""


def perft(
    game: str,
    /,
    *,
    depth: int,
    params: str | None = None,
    position: File = None,
    unique: bool = False,
    divide: bool = False,
    interpreted: bool = False,
) -> None:
    """Count the leaves of the tree of moves: a line a depth, `perft DEPTH COUNT SECONDS RATE`.

    Where the rules were never compiled, counting begins interpreted, and goes over to them when they are.

    Parameters
    ----------
    game
        The game's name.
    depth
        Plies to count to, 0 or more.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with a position to begin at; - is standard input.
    unique
        Count moves of a node that lead to the same position once.
    divide
        Then show the leaves at the last depth behind each move, `divide COUNT MOVE`.
    interpreted
        Run the rules as they stand instead of compiled.
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
        answer(f"perft {plies} {leaves} {seconds:.6f} {leaves / max(seconds, SHORTEST):.0f}")
    for move, count in branches:
        answer(f"divide {count} {move}")


def analyse(
    game: str,
    /,
    *,
    params: str | None = None,
    position: File = None,
    time: Time = None,
    depth: Annotated[int, within("depth", 1, MAX_DEPTH)] = MAX_DEPTH,
    lines: Annotated[int, within("lines", 1, ROOM)] = 1,
    exact: bool = False,
    threads: Annotated[int, within("threads", 1, MAX_THREADS)] = 1,
    no_tablebase: bool = False,
    json: bool = False,
) -> None:
    """Think about a position: a line a finished depth, with score, nodes, nodes per second, best line.

    Scores are for the side to move, a piece of GIPF being worth 100; `win 3` is a win after 3 plies, `loss 4` a
    loss after 4. The analysis ends by itself when the game's end is found. Where the time is over before the first
    depth is, the one line says `depth 0 score none` (in JSON `null`): nothing was searched.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with a position to think about; - is standard input.
    time
        Seconds after which to stop; without it, and without a depth, until Ctrl-C.
    depth
        Plies to search to.
    lines
        How many of the best moves to show, a line each; with more than one each begins with its rank.
    exact
        Search every move to the full depth, which finds the shortest wins.
    threads
        How many threads search at the same time; no more than there are idle cores.
    no_tablebase
        Search also where the tablebase knows the position, that is on small boards of GIPF. Otherwise it is answered
        from there at once, with the shortest wins.
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
    report = partial(_tell_json, root) if json else partial(_tell, root, lines > 1)
    exact_values = None if no_tablebase else tablebase_of(root)
    if exact_values is not None and (known := exact_values.results(root, lines)):
        for result in known:
            report(result._replace(seconds=perf_counter() - began))
        return
    say_interpreted()
    searcher = AdaptiveSearcher(root, threads=threads, tablebase=exact_values)
    thought = searcher.think(root, (), limits, clock=perf_counter, report=report)
    if thought.score is None:
        report(thought)


def _tell(root: Position, ranked: bool, thought: SearchResult) -> None:
    plies = thought.plies_to_end
    if thought.score is None:
        score = "none"
    else:
        score = str(thought.score) if plies is None else f"{'win' if plies > 0 else 'loss'} {abs(plies)}"
    rate = thought.nodes / max(thought.seconds, SHORTEST)
    line = ", ".join(_line(root, thought)) or "none"
    rank = f"line {thought.rank} " if ranked else ""
    answer(
        f"{rank}depth {thought.depth} score {score} nodes {thought.nodes} seconds {thought.seconds:.3f} "
        f"rate {rate:.0f} pv {line}"
    )


def _tell_json(root: Position, thought: SearchResult) -> None:
    fields = {
        "depth": thought.depth,
        "line": thought.rank,
        "score": thought.score,
        "plies_to_end": thought.plies_to_end,
        "nodes": thought.nodes,
        "seconds": round(thought.seconds, 6),
        "pv": _line(root, thought),
        "is_known": thought.is_known,
    }
    answer(msgspec.json.encode(fields).decode())


def _line(root: Position, thought: SearchResult) -> list[str]:
    """Return the best line; none where nothing was searched, though there is a move to play then, too."""
    return [] if thought.score is None else thought.pv(root)
