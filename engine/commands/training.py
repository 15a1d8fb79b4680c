"""``arena-engine selfplay`` and ``train``: self-play with scored positions, and pattern tables from them."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Annotated

import msgspec

from engine.commands.game_file import GameFormat, opened_to_append
from engine.commands.inputs import GameName, Params, bytes_of, playable_start, say_compiling, start_of, within
from engine.commands.program import Rejected, answer, say
from engine.duel.training import ScoredGame, SelfplaySettings, collect_samples, fit, play
from engine.games.catalogue import USUAL_GAME, title_of
from engine.games.kernels import NEVER, KernelSource
from engine.search.capabilities import LOGIT
from engine.search.searcher import search_kernels, with_best_kernel
from engine.wire.words import number_of

PROGRESS_SECONDS = 5.0
"""Least time between two lines of progress."""

MAX_GAMES = 10_000_000
MAX_NODES = 1_000_000_000
MAX_SEED = (1 << 31) - 1
MAX_JOBS = 1000

FILE = GameFormat(msgspec.json.Decoder(SelfplaySettings), msgspec.json.Decoder(ScoredGame), "self-play", "game")
"""The file of games."""

MAX_FILE_BYTES = 1 << 34
"""Largest file of games that is read."""

CHUNK = 20
"""Games that a process gets at a time."""


def selfplay(
    file: Path,
    /,
    *,
    game: GameName = USUAL_GAME,
    params: Params = None,
    games: Annotated[int, within("games", 1, MAX_GAMES)] = 10_000,
    nodes: Annotated[int, within("nodes", 1, MAX_NODES)] = 1500,
    random: Annotated[int, within("random", 0, 100)] = 20,
    seed: Annotated[int, within("seed", 0, MAX_SEED)] = 1,
    jobs: Annotated[int, within("jobs", 1, MAX_JOBS)] = 1,
) -> None:
    """Play games of the engine with itself for arena-engine train, and append them to a file.

    A game has a random opening, and random moves later. Every position after the opening is searched, and its score is
    stored. The same command writes the same file with any --jobs, and continues at the end of the file.

    Parameters
    ----------
    file
        File for the games.
    games
        Number of games in the file at the end.
    nodes
        Nodes of the search of a position.
    random
        Random moves in a hundred moves after the opening.
    seed
        Seed of the random moves.
    jobs
        Processes that play at the same time.
    """
    start = playable_start(game, params)
    setting = SelfplaySettings(game, start.parameters, start.kernel(compile=False).rules.label, seed, nodes, random)
    with opened_to_append(file, str(file), FILE) as opened:
        there = len(opened.resume(setting))
        began = reported = perf_counter()
        positions = 0
        for played in _played(setting, range(there, games), jobs):
            opened.append(played)
            positions += len(played.scores)
            if perf_counter() - reported >= PROGRESS_SECONDS:
                reported = perf_counter()
                say(f"{number_of(played.number + 1, 'game')}, {positions / (reported - began):.0f} positions a second")
    all_games = number_of(max(there, games), "game")
    answer(f"{all_games}, {max(0, games - there)} of them new, with {number_of(positions, 'position')}")


def _played(setting: SelfplaySettings, numbers: range, jobs: int) -> Iterator[ScoredGame]:
    """Yield the games with these numbers, in their order."""
    if jobs == 1:
        for number in numbers:
            yield _play(setting, number, compiles=True)
        return
    _kernels(setting, compiles=True).start(urgent=True)  # once for all processes
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_play, [setting] * len(numbers), numbers, chunksize=CHUNK)


def _play(setting: SelfplaySettings, number: int, compiles: bool = False) -> ScoredGame:
    start = start_of(setting.game, setting.parameters)
    return with_best_kernel(
        _kernels(setting, compiles), start, lambda kernel, stop: play(kernel, setting, number, stop)
    )


@cache
def _kernels(setting: SelfplaySettings, compiles: bool) -> KernelSource:
    start = start_of(setting.game, setting.parameters)
    if not compiles:
        return search_kernels(start, compile_from=NEVER)
    return search_kernels(start, compiling=lambda: say_compiling(start))


def train(*files: Path, seed: int = 1) -> None:
    """Compute the pattern tables that explain the scores of self-play best, and print them as JSON.

    The same files and seed give the same tables. A side of a duel uses them with weights=FILE.

    Parameters
    ----------
    files
        Files of arena-engine selfplay with games of one variant; some hundred thousand positions are enough.
    seed
        Seed of the order of positions, and of the first numbers.
    """
    if not files:
        raise Rejected("FILES: name at least one file of arena-engine selfplay")
    games: list[ScoredGame] = []
    variants: set[tuple[str, str]] = set()
    for file in files:
        setting, found = FILE.read(bytes_of(str(file), MAX_FILE_BYTES), str(file))
        variants.add((setting.game, setting.parameters))
        games += found
    if len(variants) > 1:
        raise Rejected(f"FILES: these are games of several variants: {', '.join(map(' '.join, sorted(variants)))}")
    start = start_of(setting.game, setting.parameters)
    patterns = start.game.patterns(start.parameters)
    if patterns is None:
        raise Rejected(f"{files[0]}: {title_of(start)} has no patterns to train")
    kernel = start.kernel()
    if kernel.compiled:
        say_compiling(start)
    try:
        samples = collect_samples(games, kernel, patterns.entries)
        say(f"{number_of(len(samples.targets), 'position')} of {number_of(len(games), 'game')}")
        answer(patterns.file(fit(samples, patterns.count, seed, _report_epoch), LOGIT).decode().rstrip())
    except ValueError as error:
        raise Rejected(f"{files[0]}: {error}") from None


def _report_epoch(epoch: int, loss: float) -> None:
    say(f"epoch {epoch}: divergence {loss:.5f} in games held out")
