"""``arena-engine duel``: how much stronger one configuration of the search is than another, from games between them."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
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
from engine.commands.inputs import check_range, playable_start, say_compiling, say_interpreted, text_of, within
from engine.commands.program import Rejected, answer, finite, say
from engine.duel.games import NAMES, Contender, Pair, Reply, Setting, Standing, play_pair, read_side, weigher
from engine.duel.openings import JUDGED_NODES, Opening, openings, usual_plies
from engine.games.catalogue import GAMES, USUAL_GAME
from engine.games.history import History
from engine.games.interface import EVALUATION_LIMIT, Position
from engine.search.memory import MAX_DEPTH
from engine.search.searcher import PlayedKeys, Searcher, SearchLimits
from engine.statistics.elo import MAX_ELO, Tally
from engine.system import usable_cores

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

QUIET_SECONDS = 5.0
"""A line of progress is told no more often than this."""

MAX_GAMES = 1_000_000
"""More would take weeks."""

MAX_MOVES = 10_000
"""Largest limit of moves, as on the server."""

MAX_JOBS = 1000
"""Games at a time, a process each."""

FILE = GameFormat(msgspec.json.Decoder(Setting), msgspec.json.Decoder(Pair), "duel", "pair")
"""The file of results: a `Setting`, then a `Pair` a line, in the order in which pairs were finished."""

Elo = Annotated[float, Parameter(validator=(finite, Number(gte=-MAX_ELO, lte=MAX_ELO)))]
Risk = Annotated[float, Parameter(validator=(finite, Number(gt=0, lt=0.5)))]

_WEIGHTS = msgspec.json.Decoder(dict[str, int | list[Any] | dict[str, Any]])


def duel(
    a: str,
    b: str,
    /,
    *,
    game: str = USUAL_GAME,
    params: str | None = None,
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
    """Play two configurations of the search against each other until it is clear whether A is stronger than B.

    Games come in pairs: one opening, which each side begins once.

    Parameters
    ----------
    a
        The side that is measured: options separated by commas. nodes=5000, ms=20 and depth=6 limit each move;
        table=16 megabytes; threads=2; exact; weights=FILE of the evaluation.
    b
        The side that it is measured against, likewise.
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    games
        Play no more than this, an even number.
    all_games
        Play all of them, whatever the test says.
    jobs
        Games at a time; without it, one a core, and fewer where a side searches in several
        threads.
    results
        File to keep the games in. The same command goes on where the file ends.
    seed
        Of the random moves of the openings.
    plies
        Random moves of an opening; without it, what suits the game.
    balance
        The most that an opening may be worth to a side; without it, the median of the first 32.
    move_limit
        A game is a draw after so many moves of both sides.
    elo0
        The test ends with H0 when A is stronger by no more than this.
    elo1
        It ends with H1 when A is stronger by this.
    alpha
        How often H1 may be wrong, between 0 and 0.5.
    beta
        How often H0 may be wrong, between 0 and 0.5.
    """
    start = playable_start(game, params)
    plies = usual_plies(start) if plies is None else plies
    if games % 2:
        raise Rejected(f"--games is {games}, but games come in pairs: it has to be even")
    check_range("move-limit", move_limit, plies + 1, MAX_MOVES)
    if elo0 >= elo1:
        raise Rejected(f"--elo0 is {elo0} and --elo1 {elo1}, but elo0 has to be the smaller one")
    contenders = _contender(NAMES[0], a, start), _contender(NAMES[1], b, start)
    if jobs is None:  # a side of a game thinks at a time, in all its threads
        jobs = max(1, len(usable_cores()) // max(read_side(side).threads for side in (a, b)))
    setting = Setting(
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
        signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C lets the pool of processes end in order
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a write to a process that has ended raises OSError
        try:
            drawn = openings(start, plies, seed, _judge, balance)
            _carry_out(setting, file, drawn, before, jobs, most=games // 2, stop=not all_games)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


def _carry_out(
    setting: Setting,
    file: GameFile[Setting, Pair],
    drawn: Iterator[Opening],
    stored: list[Pair],
    jobs: int,
    *,
    most: int,
    stop: bool,
) -> None:
    """Play the pairs that are not stored, at most so many in all, and report the progress and the result.

    With ``stop`` the duel ends with the test.
    """
    duel = Standing(Tally(setting.test), {})
    for pair in stored:
        if pair.number < most:
            duel.add(pair, stop=stop)
    if duel.found:
        say(f"going on after {2 * len(duel.found)} games")
    told = perf_counter()
    numbered = islice(enumerate(drawn), most)
    tasks = ((number, opening.moves) for number, opening in numbered if number not in duel.found)
    if not duel.is_over(most, stop=stop):
        with closing(pairs(setting, tasks, jobs)) as playing:
            for pair in playing:
                file.keep(pair)
                duel.add(pair, stop=stop)
                if perf_counter() - told >= QUIET_SECONDS:
                    told = perf_counter()
                    answer(duel.progress(setting.test))
                if duel.is_over(most, stop=stop):
                    break
    if not duel.tally.pairs:
        raise Rejected("--plies, --balance: no opening was found that decides nothing and is that balanced")
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
        sentence = f"these are no weights, an object of names and numbers, nor tables: {error}"
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
    """Return the score of an opening, by a short search that knows nothing of the others."""
    kernel = position.kernel()
    for limits in (SearchLimits(nodes=JUDGED_NODES), SearchLimits(depth=1)):  # one ply may take more nodes than these
        found = Searcher(kernel, megabytes=1).think(kernel.state, (), limits, clock=perf_counter)
        if found.score is not None:
            return found.score
    return 0


EXERCISE = SearchLimits(depth=2)
"""A search that compiles or loads all code that a side needs."""


class SearchPlayer:
    """Plays one side of a duel."""

    def __init__(self, contender: Contender, start: Position) -> None:
        """Take a side and the start of its games. Compiles the search, or loads it."""
        self._side = side = read_side(contender.side)
        self._kernel = weigher(start, contender.weights)(start.kernel())
        Searcher(self._kernel, megabytes=0).think(self._kernel.state, (), EXERCISE, clock=perf_counter)
        depth = side.depth or MAX_DEPTH
        self._limits = SearchLimits(depth, side.nodes, None, side.ms, exact=side.exact, level=side.level)
        self._game = -1

    def play(self, game: int, history: History) -> Reply:
        """Search for a move."""
        if game != self._game:  # a game does not depend on the one before; this costs no side time
            self._game = game
            self._searcher = Searcher(self._kernel, megabytes=self._side.table, threads=self._side.threads)
            self._keys = PlayedKeys()
        began = perf_counter()
        limits = self._limits._replace(seed=game)
        state = history.position.kernel(compile=self._kernel.compiled).state
        result = self._searcher.think(state, self._keys.before(history), limits, clock=perf_counter)
        move = result.move(history.position)  # to write a move takes time, which counts
        return Reply(move, (perf_counter() - began) * 1000, result.nodes)


PairPlayer = Callable[[int, Sequence[str]], Pair]
"""Plays a pair of games, from its number and the moves of its opening."""


def pair_player(setting: Setting) -> PairPlayer:
    """Make the sides of a duel ready to play in this process."""
    start = GAMES[setting.game].start(setting.parameters)
    players = SearchPlayer(setting.a, start).play, SearchPlayer(setting.b, start).play
    return lambda number, opening: play_pair(number, start, opening, players, setting.move_limit)


_play_pair: PairPlayer
"""Plays for the duel of this process; set when the process starts."""


def pairs(setting: Setting, tasks: Iterator[tuple[int, Sequence[str]]], jobs: int) -> Generator[Pair]:
    """Play pairs in so many processes, and yield them as they end, until there are no more tasks.

    Closing the iterator ends all processes at once. Raises `Rejected` if one of them ends by itself.
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


def _get_ready(setting: Setting) -> None:
    global _play_pair
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the duel, and thereby its processes
    threading.Thread(target=_end_with_the_duel, daemon=True).start()
    _play_pair = pair_player(setting)
    gc.collect()
    gc.freeze()  # loaded objects stay: the collector does not look at them while a clock runs


def _end_with_the_duel() -> None:
    duel = parent_process()
    assert duel is not None
    duel.join()
    os._exit(0)


def _play(number: int, opening: Sequence[str]) -> Pair:
    return _play_pair(number, opening)
