"""``arena-engine atlas``: solves one variant of a game after the other, and keeps what it has found in a file."""

import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import groupby, product
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from engine.commands.inputs import game_named, say_compiling, start_of
from engine.commands.program import Rejected, answer, say
from engine.commands.solving.solve import MEGABYTE, MIN_MEMORY, QUIET_SECONDS
from engine.games.catalogue import GAMES
from engine.games.interface import Position
from engine.solve.atlas.entries import COLUMNS, Entry
from engine.solve.layered.pair import OutOfMemory, OutOfTime
from engine.solve.layered.solver import Layers, layer_of
from engine.solve.solver import Result, SolverLimits, solve
from engine.wire.words import number_of

MAX_VARIANTS = 100_000


def atlas(
    game: str,
    file: Path,
    /,
    *ranges: str,
    time: float = 60.0,
    memory: int = 1024,
    jobs: int = 1,
    layers: Path | None = None,
    table: bool = False,
) -> None:
    """Solve every variant in ranges of parameters, but those that the file has already; append each as it is solved.

    Parameters
    ----------
    game
        The game's name.
    file
        File of the results, a line a variant; made where it is missing. Interrupt the command at any time: the same
        command goes on where it was.
    ranges
        A range for each parameter: a number, or two with a hyphen. "2 2-3 4-15 4-15" are all of GIPF with S = 2.
    time
        Seconds that a variant may take. A variant that the file has as unknown is tried again with larger limits only.
    memory
        Megabytes that a variant may take.
    jobs
        Variants to solve at a time, each in a process of its own; with --layers, threads.
    layers
        Directory for all positions of a variant, with their values: of GIPF with S = 2 and 3, a layer of them for each
        number of pieces that the sides have left. The layers of a variant are part of those of all larger ones, so none
        is solved twice, and an interrupted command goes on with the next one. --memory is beside these files.
    table
        Then show the file's results as tables of the last two parameters, in the notation of Markdown.
    """
    chosen = game_named(game)
    if time <= 0 or memory < MIN_MEMORY or jobs < 1:
        raise Rejected(f"--time has to be above 0, --memory at least {MIN_MEMORY}, --jobs at least 1")
    entries = _read(file)
    wanted = dict.fromkeys(start_of(chosen, text).parameters for text in ranges for text in _variants(text))
    open_ones = [text for text in wanted if text not in entries or _may_be_more(entries[text], time, memory)]
    with file.open("a", encoding="utf-8") as appended:
        if appended.tell() == 0:
            appended.write("\t".join(COLUMNS) + "\n")
        for entry in _solved(game, open_ones, (time, memory), jobs, layers):
            entries[entry.parameters] = entry
            appended.write(entry.line() + "\n")
            appended.flush()
            found = " ".join(filter(None, (entry.result, entry.plies)))
            say(f"{entry.parameters}: {found}, {entry.method or 'limits reached'}, {entry.seconds:.1f} s")
    unknown = sum(entry.result == Result.UNKNOWN for entry in entries.values())
    answer(f"{number_of(len(entries), 'variant')}, {len(entries) - unknown} of them solved")
    if table:
        for line in tables(entries):
            answer(line)


def tables(entries: dict[str, Entry]) -> Iterator[str]:
    """Yield the lines of a table for all variants that differ in the last two parameters only.

    A cell names the winner, by 1 for the side that begins and 2 for the other, with the number of plies where it is
    known; = is a draw, ? not known.
    """
    groups: dict[tuple[str, ...], dict[tuple[int, int], str]] = {}
    for entry in entries.values():
        *first, row, column = entry.parameters.split(" ")
        cell = {Result.FIRST: "1", Result.SECOND: "2", Result.DRAW: "=", Result.UNKNOWN: "?"}[Result(entry.result)]
        text = f"{cell} in {entry.plies}" if entry.plies else cell
        groups.setdefault(tuple(first), {})[int(row), int(column)] = text
    for group in sorted(groups, key=lambda words: [int(word) for word in words]):
        cells = groups[group]
        rows, columns = sorted({at[0] for at in cells}), sorted({at[1] for at in cells})
        yield f"\n{' '.join(group)}, rows and columns being the next two parameters:\n"
        yield f"| | {' | '.join(map(str, columns))} |"
        yield f"| --- {'| --- ' * len(columns)}|"
        for number in rows:
            yield f"| **{number}** | {' | '.join(cells.get((number, column), '') for column in columns)} |"


def _solved(
    game: str, variants: list[str], limits: tuple[float, int], jobs: int, directory: Path | None
) -> Iterator[Entry]:
    """Solve variants, so many at a time, and yield each when it is done."""
    if directory is not None:
        yield from _solved_by_layers(game, variants, limits, jobs, directory)
    elif jobs == 1:
        for text in variants:
            yield _solve(game, text, limits)
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            for done in as_completed(pool.submit(_solve, game, text, limits) for text in variants):
                yield done.result()


def _solve(game: str, parameters: str, limits: tuple[float, int]) -> Entry:
    """Solve a variant within seconds and megabytes."""
    time, memory = limits
    began = perf_counter()
    within = SolverLimits(memory=memory * MEGABYTE, deadline=began + time)
    solution = solve(GAMES[game].start(parameters), within, clock=perf_counter)
    plies = "" if solution.plies is None else str(solution.plies)
    method = "" if solution.result == Result.UNKNOWN else solution.method
    seconds = perf_counter() - began
    written = f"{time:g} {memory}"
    return Entry(parameters, solution.result, plies, method, solution.nodes, solution.positions, seconds, written)


def _solved_by_layers(
    game: str, variants: list[str], limits: tuple[float, int], threads: int, directory: Path
) -> Iterator[Entry]:
    """Solve variants by layers that are kept in a directory, with so many threads; yield each when it is done."""
    starts = [GAMES[game].start(text) for text in variants]
    for text, start in zip(variants, starts, strict=True):
        if start.kernel().rules.layers is None:
            raise Rejected(f"--layers: {game} {text} has no layers; the games that have are GIPF with S = 2 and S = 3")
    for _, group in groupby(starts, lambda start: start.kernel(compile=False).rules.label):
        positions = list(group)
        names = [layer_of(position.kernel()) for position in positions]
        largest = max(mine for mine, _ in names), max(theirs for _, theirs in names)
        try:
            kernel = positions[0].kernel()
            if kernel.compiled:
                say_compiling(positions[0])
            layers = Layers(kernel, largest, memory=limits[1] * MEGABYTE, directory=directory, threads=threads)
            layers.warm_up()
            for position in positions:
                yield _by_layers(position, layers, limits)
        except OSError as error:
            raise Rejected(f"--layers: {directory}: {error.strerror or error}") from None


def _by_layers(position: Position, layers: Layers, limits: tuple[float, int]) -> Entry:
    """Solve a variant from its start; the seconds are those which all of its layers took."""
    time, memory = limits
    until = perf_counter() + time
    kernel = position.kernel()
    name = layer_of(kernel)
    open_ones = layers.missing(name)
    try:
        for pair in open_ones:
            began = perf_counter()
            layers.solve(pair, lambda: perf_counter() >= until, perf_counter)
            if perf_counter() - began >= QUIET_SECONDS:
                say(f"{position.parameters}: layer {pair[0]} {pair[1]} is solved, {perf_counter() - began:.1f} s")
    except (OutOfTime, OutOfMemory, OverflowError) as error:
        say(f"{position.parameters}: layer {pair[0]} {pair[1]} is not solved: {error}")
    judgement = layers.judgement(kernel.state)
    result, plies = Result.UNKNOWN, ""
    if judgement is not None:
        winner = position.turn if judgement.result > 0 else 1 - position.turn
        result = (Result.FIRST, Result.SECOND)[winner] if judgement.result else Result.DRAW
        plies = str(judgement.plies) if judgement.result else ""
    method = "" if judgement is None else Layers.method
    positions, seconds = layers.total(name)
    return Entry(position.parameters, result, plies, method, 0, positions, seconds, f"{time:g} {memory}")


def _may_be_more(entry: Entry, time: float, memory: int) -> bool:
    """Tell whether a variant was not solved, and larger limits are set now."""
    had_time, had_memory = map(float, entry.limits.split(" "))
    return entry.result == Result.UNKNOWN and (time > had_time or memory > had_memory)


def _variants(text: str) -> Iterator[str]:
    """Yield the parameters that ranges stand for, those with the smaller sums of the last two first; or refuse."""
    ranges = []
    for word in text.split():
        ends = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", word)
        if ends is None:
            raise Rejected(f"RANGES: {word!r} is no number and no range of numbers, as 4-15 is one")
        ranges.append(range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    combinations = list(product(*ranges))
    if len(combinations) > MAX_VARIANTS:
        raise Rejected(f"RANGES: {text!r} names {len(combinations)} variants; {MAX_VARIANTS} are as many as can be")
    for numbers in sorted(combinations, key=lambda numbers: (numbers[:-2], sum(numbers[-2:]), numbers)):
        yield " ".join(map(str, numbers))


def _read(file: Path) -> dict[str, Entry]:
    """Return the entries of a file by their parameters, none where there is no file; the last of a variant counts."""
    entries: dict[str, Entry] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise Rejected(f"{file}: cannot be read: {error}") from None
    for number, line in enumerate(lines[1:], 2):
        try:
            entry = Entry.read(line)
        except ValueError as error:
            raise Rejected(f"{file}: line {number}: {error}") from None
        entries[entry.parameters] = entry
    return entries
