"""Commands that let the search play against itself: ``arena-engine duel``, ``selfplay`` and ``train``.

A duel measures the difference in strength of two configurations. Self-play scores positions, from which pattern tables
are trained.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from functools import cache
from hashlib import sha256
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

import engine
from engine.commands.game_file import GameFile, GameFormat, opened_to_append
from engine.commands.inputs import (
    GameName,
    Params,
    bytes_of,
    check_range,
    playable_start,
    say_compiling,
    say_interpreted,
    start_of,
    text_of,
    within,
)
from engine.commands.program import Rejected, answer, finite, say
from engine.duel.games import NAMES, Contender, DuelResult, DuelSettings, Pair, Reply, play_pair, read_side, weigher
from engine.duel.openings import JUDGE_NODES, Opening, openings, usual_plies
from engine.duel.training import ScoredGame, SelfplaySettings, collect_samples, fit, play
from engine.games.catalogue import GAMES, USUAL_GAME, title_of
from engine.games.interface import EVALUATION_LIMIT, History, Position
from engine.games.kernels import NEVER, KernelSource
from engine.search.capabilities import LOGIT
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import HistoryKeys, Searcher, SearchLimits, search_kernels, with_best_kernel
from engine.statistics.elo import MAX_ELO, Tally
from engine.system import usable_cores
from engine.wire.words import number_of

INTERRUPTED = 130
"""Exit status after Ctrl-C, as in shells."""

PROGRESS_SECONDS = 5.0
"""Least time between two lines of progress."""

MAX_GAMES = 1_000_000
"""Largest number of games: more would take weeks."""

MAX_MOVES = 10_000
"""Largest move limit, as on the server."""

MAX_JOBS = 1000
"""Largest number of processes, each of which plays a pair."""

FILE = GameFormat(msgspec.json.Decoder(DuelSettings), msgspec.json.Decoder(Pair), "duel", "pair")
"""The file of results: a line with `DuelSettings`, then a line for each `Pair`, in the order in which they ended."""

MAX_SELFPLAY_GAMES = 10_000_000
MAX_NODES = 1_000_000_000
MAX_SEED = (1 << 31) - 1
SELFPLAY_FILE = GameFormat(
    msgspec.json.Decoder(SelfplaySettings), msgspec.json.Decoder(ScoredGame), "self-play", "game"
)
"""The file of self-play: a line with `SelfplaySettings`, then a line for each `ScoredGame`."""

MAX_FILE_BYTES = 1 << 34
"""Largest file of games that is read."""

CHUNK = 20
"""Games that a process gets at a time."""

Elo = Annotated[float, Parameter(validator=(finite, Number(gte=-MAX_ELO, lte=MAX_ELO)))]
Risk = Annotated[float, Parameter(validator=(finite, Number(gt=0, lt=0.5)))]

_WEIGHTS = msgspec.json.Decoder(dict[str, int | list[Any] | dict[str, Any]])


def duel(
    a: str,
    b: str,
    /,
    *,
    game: GameName = USUAL_GAME,
    params: Params = None,
    games: Annotated[int, within("games", 2, MAX_GAMES)] = 10_000,
    all_games: bool = False,
    jobs: Annotated[int | None, within("jobs", 1, MAX_JOBS)] = None,
    results: str | None = None,
    seed: int = 1,
    plies: Annotated[int | None, within("plies", 1, MAX_MOVES - 1)] = None,
    balance: Annotated[int | None, within("balance", 0, EVALUATION_LIMIT)] = None,
    move_limit: int = 1000,
    elo0: Elo = 0.0,
    elo1: Elo = 10.0,
    alpha: Risk = 0.05,
    beta: Risk = 0.05,
) -> None:
    """Play games between two configurations of the search until a test decides whether A is stronger than B.

    Games come in pairs with the same opening, in which each side begins once.

    Parameters
    ----------
    a
        The first side: options separated by commas. nodes=5000, ms=20 and depth=6 limit each move; level=3; table=16
        megabytes; threads=2; exact; weights=FILE of the evaluation.
    b
        The second side, with the same options.
    games
        Largest number of games, an even number.
    all_games
        Play all games, also after the decision of the test.
    jobs
        Pairs at a time; without it the number of idle cores divided by the threads of a side.
    results
        File for the games. The same command continues at the end of the file.
    seed
        Seed of the random openings.
    plies
        Random moves in an opening; without it a number that suits the game.
    balance
        Largest imbalance of an opening; without it the median of the first 32.
    move_limit
        Moves of both sides after which a game is a draw.
    elo0
        Hypothesis H0: A is stronger by at most this.
    elo1
        Hypothesis H1: A is stronger by at least this.
    alpha
        Probability of a wrong H1, between 0 and 0.5.
    beta
        Probability of a wrong H0, between 0 and 0.5.
    """
    start = playable_start(game, params)
    plies = usual_plies(start) if plies is None else plies
    if games % 2:
        raise Rejected(f"--games is {games}, but games come in pairs: it has to be even")
    check_range("move-limit", move_limit, plies + 1, MAX_MOVES)
    if elo0 >= elo1:
        raise Rejected(f"--elo0 is {elo0} and --elo1 {elo1}, but elo0 has to be the smaller one")
    contenders = _contender(NAMES[0], a, start), _contender(NAMES[1], b, start)
    if jobs is None:  # one side of a game searches at a time, in all its threads
        jobs = max(1, len(usable_cores()) // max(read_side(side).threads for side in (a, b)))
    setting = DuelSettings(
        engine=_digest(),
        game=game,
        parameters=start.parameters,
        a=contenders[0],
        b=contenders[1],
        seed=seed,
        opening_plies=plies,
        balance=balance,
        move_limit=move_limit,
        elo0=elo0,
        elo1=elo1,
        alpha=alpha,
        beta=beta,
    )
    with opened_to_append(results, f"--results {results}", FILE) as file:
        before = file.resume(setting)
        say_interpreted()
        if start.kernel().compiled:
            say_compiling(start)
        pair_player(setting)  # compiles once for all processes
        signal.signal(signal.SIGINT, signal.default_int_handler)  # after Ctrl-C the pool of processes is closed
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a write to a process that has ended raises OSError
        try:
            balanced = openings(start, plies, seed, _judge, balance)
            _play_pairs(setting, file, balanced, before, jobs, most=games // 2, stop=not all_games)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


def _play_pairs(
    setting: DuelSettings,
    file: GameFile[DuelSettings, Pair],
    balanced: Iterator[Opening],
    stored: list[Pair],
    jobs: int,
    *,
    most: int,
    stop: bool,
) -> None:
    """Play the pairs that are not stored, and report progress and result.

    The duel has at most ``most`` pairs. With ``stop`` it ends with the test.
    """
    duel = DuelResult(Tally(setting.test), {})
    for pair in stored:
        if pair.number < most:
            duel.add(pair, stop=stop)
    if duel.found:
        say(f"going on after {2 * len(duel.found)} games")
    reported = perf_counter()
    tasks = (
        (number, opening.moves) for number, opening in islice(enumerate(balanced), most) if number not in duel.found
    )
    if not duel.is_over(most, stop=stop):
        with closing(pairs(setting, tasks, jobs)) as playing:
            for pair in playing:
                file.append(pair)
                duel.add(pair, stop=stop)
                if perf_counter() - reported >= PROGRESS_SECONDS:
                    reported = perf_counter()
                    answer(duel.progress(setting.test))
                if duel.is_over(most, stop=stop):
                    break
    if not duel.tally.pairs:
        raise Rejected("--plies, --balance: no undecided opening with this balance was found")
    if not duel.is_over(most, stop=stop):
        say(f"there are no more openings than {duel.tally.pairs}")
    for line in duel.summary():
        answer(line)


def _contender(name: str, text: str, start: Position) -> Contender:
    """Return a side from its text, with the content of its weights file; raises `Rejected`."""
    try:
        side = read_side(text)
        weights = _WEIGHTS.decode(text_of(side.weights)) if side.weights else {}
        weigher(start, weights)
    except msgspec.DecodeError as error:
        sentence = f"neither weights, an object of names and numbers, nor pattern tables: {error}"
        raise Rejected(f"{name}: {side.weights}: {sentence}") from None
    except ValueError as error:
        raise Rejected(f"{name}: {error}") from None
    return Contender(text, weights)


def _digest() -> str:
    """Return a digest of the engine's sources and tables."""
    digest = sha256()
    folder = Path(str(engine.__file__)).parent
    for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


def _judge(position: Position) -> int:
    """Return the score of an opening by a short search with a new table."""
    kernel = position.kernel()
    for limits in (SearchLimits(nodes=JUDGE_NODES), SearchLimits(depth=1)):  # one ply may take more nodes than these
        found = Searcher(kernel, megabytes=1).think(kernel.state, (), limits, clock=perf_counter)
        if found.score is not None:
            return found.score
    return 0


WARM_UP = SearchLimits(depth=2)
"""A search that compiles or loads all code of a side."""


class SearchPlayer:
    """Plays one side of a duel."""

    def __init__(self, contender: Contender, start: Position) -> None:
        """Take a side and the start position of its games. Compiles the search or loads it."""
        self._side = side = read_side(contender.side)
        self._kernel = weigher(start, contender.weights)(start.kernel())
        Searcher(self._kernel, megabytes=0).think(self._kernel.state, (), WARM_UP, clock=perf_counter)
        depth = side.depth or MAX_DEPTH
        self._limits = SearchLimits(depth, side.nodes, None, side.ms, exact=side.exact, level=side.level)
        self._game = -1

    def play(self, game: int, history: History) -> Reply:
        """Search for a move."""
        if game != self._game:  # a new game has a new table; this is not timed
            self._game = game
            self._searcher = Searcher(self._kernel, megabytes=self._side.table, threads=self._side.threads)
            self._keys = HistoryKeys()
        began = perf_counter()
        limits = self._limits._replace(seed=game)
        state = history.position.kernel(compile=self._kernel.compiled).state
        result = self._searcher.think(state, self._keys.before(history), limits, clock=perf_counter)
        move = result.move(history.position)  # the text of a move takes time, which counts
        return Reply(move, (perf_counter() - began) * 1000, result.nodes)


PairPlayer = Callable[[int, Sequence[str]], Pair]
"""Plays a pair of games, given its number and the moves of its opening."""


def pair_player(setting: DuelSettings) -> PairPlayer:
    """Return a function that plays pairs of a duel in this process."""
    start = GAMES[setting.game].start(setting.parameters)
    players = SearchPlayer(setting.a, start).play, SearchPlayer(setting.b, start).play
    return lambda number, opening: play_pair(number, start, opening, players, setting.move_limit)


_play_pair: PairPlayer
"""The pair player of a worker process, set when it starts."""


def pairs(setting: DuelSettings, tasks: Iterator[tuple[int, Sequence[str]]], jobs: int) -> Generator[Pair]:
    """Play pairs in ``jobs`` processes, and yield them as they end.

    Closing the iterator kills all processes. Raises `Rejected` if a process ends by itself.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), _get_ready, (setting,)) as pool:
        try:
            running: set[Future[Pair]] = {pool.submit(_play, *task) for task in islice(tasks, jobs)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(_play, *task) for task in islice(tasks, len(done))}
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise Rejected("a process that plays games has ended", 1) from None
        finally:
            for process in active_children():
                process.kill()


def _get_ready(setting: DuelSettings) -> None:
    global _play_pair
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the duel, which kills its processes
    threading.Thread(target=_end_with_the_duel, daemon=True).start()
    _play_pair = pair_player(setting)
    gc.collect()
    gc.freeze()  # loaded objects stay: they are not collected while a clock runs


def _end_with_the_duel() -> None:
    duel = parent_process()
    assert duel is not None
    duel.join()
    os._exit(0)


def _play(number: int, opening: Sequence[str]) -> Pair:
    return _play_pair(number, opening)


def selfplay(
    file: Path,
    /,
    *,
    game: GameName = USUAL_GAME,
    params: Params = None,
    games: Annotated[int, within("games", 1, MAX_SELFPLAY_GAMES)] = 10_000,
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
    with opened_to_append(file, str(file), SELFPLAY_FILE) as opened:
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
            yield _play_scored(setting, number, compiles=True)
        return
    _kernels(setting, compiles=True).start(urgent=True)  # once for all processes
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_play_scored, [setting] * len(numbers), numbers, chunksize=CHUNK)


def _play_scored(setting: SelfplaySettings, number: int, compiles: bool = False) -> ScoredGame:
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

    The same files and seed give the same tables. A side of a duel uses them with weights=SELFPLAY_FILE.

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
        setting, found = SELFPLAY_FILE.read(bytes_of(str(file), MAX_FILE_BYTES), str(file))
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
        weights = fit(
            samples,
            patterns.count,
            seed,
            lambda epoch, loss: say(f"epoch {epoch}: divergence {loss:.5f} in games held out"),
        )
        answer(patterns.file(weights, LOGIT).decode().rstrip())
    except ValueError as error:
        raise Rejected(f"{files[0]}: {error}") from None
