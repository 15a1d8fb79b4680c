"""``arena-engine selfplay``: games of the engine with itself, each position scored by a search, kept in a file."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import BinaryIO

import msgspec

from engine.commands.duel.results_file import opened_to_append, resume
from engine.commands.inputs import check_range, game_named, start_of, warn_of
from engine.commands.program.output import Rejected, answer, say
from engine.commands.training.games_of_selfplay import play_some, start_compiling
from engine.duel.game_file import BadGames, line_of
from engine.duel.training.selfplay import FORMAT, ScoredGame, Setting, games_of, setting_of
from engine.games.catalogue import USUAL_GAME
from engine.wire.words import number_of

QUIET_SECONDS = 5.0
"""A line of progress is told no more often than this."""

MAX_GAMES = 10_000_000
MAX_NODES = 1_000_000_000
MAX_SEED = (1 << 31) - 1
MAX_JOBS = 1000

CHUNK = 20
"""Games that a process is given at a time."""


def selfplay(
    file: Path,
    /,
    *,
    game: str = USUAL_GAME,
    params: str | None = None,
    games: int = 10_000,
    nodes: int = 1500,
    random: int = 20,
    seed: int = 1,
    jobs: int = 1,
    dask: str = "",
) -> None:
    """Play games of the engine with itself, for arena-engine train, and append them to a file.

    A game begins with random moves, and has some later on. Every position behind the opening is searched, and its score
    kept. The same command gives the same file, whatever --jobs and --dask are, and goes on where the file ends.

    Parameters
    ----------
    file
        File of the games, made where it is missing.
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    games
        Games that the file has in the end; more may be asked for later.
    nodes
        Positions that the search of a position looks at.
    random
        Of a hundred moves behind the opening, so many are random.
    seed
        Of the random moves.
    jobs
        Processes that play at the same time.
    dask
        Address of a dask scheduler, as in tcp://10.0.0.1:8786, whose workers play the games.
    """
    rules = game_named(game)
    start = start_of(rules, rules.default_parameters if params is None else params)
    check_range("games", games, 1, MAX_GAMES)
    check_range("nodes", nodes, 1, MAX_NODES)
    check_range("random", random, 0, 100)
    check_range("seed", seed, 0, MAX_SEED)
    check_range("jobs", jobs, 1, MAX_JOBS)
    if dask and jobs != 1:
        raise Rejected("--jobs and --dask exclude each other: games are played here, or on the workers of a cluster")
    if start.verdict() is not None:
        raise Rejected("--params: this game is over before it begins")
    warn_of(start)
    setting = Setting(FORMAT, game, start.parameters, start.kernel(compile=False).rules.label, seed, nodes, random)
    with opened_to_append(str(file), str(file), "self-play") as opened:
        there = _resume(file, opened, setting)
        began = told = perf_counter()
        positions = 0
        for played in _played(setting, range(there, games), jobs, dask):
            opened.write(line_of(played))
            positions += len(played.scores)
            if perf_counter() - told >= QUIET_SECONDS:
                told = perf_counter()
                say(f"{number_of(played.number + 1, 'game')}, {positions / (told - began):.0f} positions a second")
    all_games = number_of(max(there, games), "game")
    answer(f"{all_games}, {max(0, games - there)} of them new, with {number_of(positions, 'position')}")


def _resume(file: Path, opened: BinaryIO, setting: Setting) -> int:
    """Return how many games are in a file, which must be of this setting; an empty one becomes so."""

    def read(content: bytes) -> list[ScoredGame]:
        before = setting_of(content)
        if before != setting:
            pairs = zip(msgspec.structs.asdict(before).items(), msgspec.structs.asdict(setting).values(), strict=True)
            differ = ", ".join(f"{name} {ours} is {theirs} there" for (name, theirs), ours in pairs if ours != theirs)
            raise Rejected(f"{file}: this file holds other games: {differ}. Name another file, or ask for the same")
        return games_of(content)

    try:
        return len(resume(opened, str(file), "game", setting, read))
    except BadGames as error:
        raise Rejected(f"{file}: {error}") from None


def _played(setting: Setting, numbers: range, jobs: int, dask: str) -> Iterator[ScoredGame]:
    """Yield the games of numbers, in their order."""
    if dask:
        from engine.commands.training.dask_games import played_on

        yield from played_on(dask, setting, numbers)
        return
    if jobs == 1:
        for number in numbers:
            yield from play_some(setting, (number,))
        return
    start_compiling(setting)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_play, [setting] * len(numbers), numbers, chunksize=CHUNK)


def _play(setting: Setting, number: int) -> ScoredGame:
    return play_some(setting, (number,), compiles=False)[0]
