"""``arena-engine duel``: how much stronger one configuration of the search is than another, from games between them."""

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import msgspec

from engine.commands.duel.processes import OURS, EnginePair, EnginePool, EngineSetup, Process, Task, start_pair
from engine.commands.duel.results_file import ResultsFile, opened
from engine.commands.inputs import check_range, game_named, say_compiling, start_of, text_of, warn_of
from engine.commands.program.output import Rejected, answer, say
from engine.compiling.binding import can_compile
from engine.duel import engine_config, report
from engine.duel.book.book import book_for
from engine.duel.book.book_file import OFF, SHIPPED, BadBook
from engine.duel.games import NAMES, Misplayed, Pair, play_pair
from engine.duel.openings import JUDGED_NODES, Judge, Opening, openings, usual_plies
from engine.duel.results import FORMAT, Contender, Setting, Tally
from engine.duel.sprt import Decision
from engine.games.catalogue import USUAL_GAME, title_of
from engine.games.interface import EVALUATION_LIMIT, Kernel, Position
from engine.games.outcome import Termination
from engine.search.game_engine import AdaptiveWork
from engine.search.searcher import Searcher, SearchLimits, Stop
from engine.wire.words import number_of

QUIET_SECONDS = 5.0
"""A line of progress is told no more often than this."""

MAX_GAMES = 1_000_000
"""More would take weeks."""

MAX_MOVES = 10_000
"""Largest limit of moves, as on the server."""

MAX_JOBS = 1000
"""Games at a time, each of which takes two processes."""

_WEIGHTS = msgspec.json.Decoder(dict[str, int | list[Any] | dict[str, Any]])

MAX_ELO = 1000.0
"""Hypotheses are no further from 0 than this: scores of 0.997."""


def duel(
    a: str,
    b: str,
    /,
    *,
    game: str = USUAL_GAME,
    params: str | None = None,
    games: int = 10_000,
    all_games: bool = False,
    jobs: int | None = None,
    results: str | None = None,
    seed: int = 1,
    plies: int | None = None,
    balance: int | None = None,
    move_limit: int = 1000,
    elo0: float = 0.0,
    elo1: float = 10.0,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> None:
    """Play two configurations of the search against each other until it is clear whether A is stronger than B.

    Games come in pairs: one opening, which each side begins once.

    Parameters
    ----------
    a
        The side that is measured: options separated by commas. nodes=5000, ms=20 and depth=6 limit each move;
        budget=1000+10 gives milliseconds for a game + for each move; table=16 megabytes; threads=2; exact;
        engine=DIRECTORY of another version of this program; weights=FILE of the evaluation; book=FILE of openings, or
        book=shipped. Without it a side has no book.
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
    rules = game_named(game)
    start = start_of(rules, rules.default_parameters if params is None else params)
    if start.verdict() is not None:
        raise Rejected("--params: this game is over before it begins")
    plies = usual_plies(start) if plies is None else plies
    check_range("games", games, 2, MAX_GAMES)
    if games % 2:
        raise Rejected(f"--games is {games}, but games come in pairs: it has to be even")
    if jobs is not None:
        check_range("jobs", jobs, 1, MAX_JOBS)
    check_range("plies", plies, 1, MAX_MOVES - 1)
    check_range("move-limit", move_limit, plies + 1, MAX_MOVES)
    if balance is not None:
        check_range("balance", balance, 0, EVALUATION_LIMIT)
    _check_test(elo0, elo1, alpha, beta)
    setups = _setup(NAMES[0], a, start), _setup(NAMES[1], b, start)
    sides = setups[0].side, setups[1].side
    jobs = engine_config.usual_jobs(sides, _cores()) if jobs is None else jobs
    warn_of(start)
    if crowding := engine_config.crowding(sides, jobs, _cores()):
        say(f"warning: {crowding}")
    with opened(results) as file:
        work = AdaptiveWork(start, compiling=lambda: say_compiling(start))
        drawn = openings(start, plies, seed, _judge(work), balance)
        _compile(work, setups)
        engines = start_pair(setups)
        with closing(EnginePool(engines, setups)) as pool:
            setting = Setting(
                format=FORMAT,
                game=game,
                parameters=start.parameters,
                a=_contender(setups[0], engines[0]),
                b=_contender(setups[1], engines[1]),
                seed=seed,
                opening_plies=plies,
                balance=balance,
                move_limit=move_limit,
                elo0=elo0,
                elo1=elo1,
                alpha=alpha,
                beta=beta,
            )
            run = _Run(setting, setups, pool, file, pairs=games // 2, stop=not all_games)
            run.carry_out(drawn, jobs)


class _Run(NamedTuple):
    """A duel that is under way."""

    setting: Setting
    setups: tuple[EngineSetup, EngineSetup]
    pool: EnginePool
    file: ResultsFile
    pairs: int
    stop: bool
    """Whether it ends with the test."""

    def carry_out(self, drawn: Iterator[Opening], jobs: int) -> None:
        """Play what is not yet in the file, and tell how it goes and what it comes to."""
        tally = Tally(self.setting.test)
        before = [pair for pair in self.file.resume(self.setting) if pair.number < self.pairs]
        for pair in before:
            tally.add(pair, stop=self.stop)
        if before:
            say(f"going on after {2 * len(before)} games")
        if not self._over(tally):
            self._play(drawn, {pair.number for pair in before}, tally, jobs)
        if not tally.pairs:
            raise Rejected("--plies, --balance: no opening was found that decides nothing and is that balanced")
        if not self._over(tally):
            say(f"there are no more openings than {tally.pairs}")
        for line in report.summary(tally):
            answer(line)

    def _over(self, tally: Tally) -> bool:
        return tally.pairs >= self.pairs or (self.stop and tally.decision != Decision.OPEN)

    def _play(self, drawn: Iterator[Opening], have: set[int], tally: Tally, jobs: int) -> None:
        """Play pairs until the duel is over or there are no more openings."""
        tasks = (Task(*each) for each in islice(enumerate(drawn), self.pairs) if each[0] not in have)
        began = told = perf_counter()
        count = 0
        try:
            for pair in self.pool.pairs(tasks, self._play_pair, jobs):
                self.file.write(pair)
                tally.add(pair, stop=self.stop)
                count += 1
                self._tell_time_losses(pair)
                if perf_counter() - told >= QUIET_SECONDS:
                    told = perf_counter()
                    answer(report.progress(tally, self.setting.test))
                if self._over(tally):
                    break
        except Misplayed as error:
            raise ChildProcessError(str(error)) from None
        seconds = perf_counter() - began
        say(f"{2 * count} games in {seconds:.1f} s, {120 * count / seconds:.0f} a minute, {jobs} at a time")

    def _play_pair(self, task: Task, engines: EnginePair) -> Pair:
        players = engines[0].play, engines[1].play
        budgets = self.setups[0].side.budget, self.setups[1].side.budget
        start = self.setups[0].start
        return play_pair(task.number, start, task.opening, players, budgets, self.setting.move_limit)

    def _tell_time_losses(self, pair: Pair) -> None:
        for game in pair.games:
            if game.reason == Termination.TIME and game.winner is not None:
                loser = 1 - game.winner
                left = f"{game.used[loser].ms:.1f} ms for {number_of(game.used[loser].moves, 'move')}"
                say(f"pair {pair.number}: {NAMES[loser]} has used up its budget, {left}, and loses")


def _setup(name: str, text: str, start: Position) -> EngineSetup:
    """Return a side from its text; raises `Rejected`."""
    try:
        side = engine_config.read(text)
    except engine_config.BadEngineConfig as error:
        raise Rejected(f"{name}: {error}") from None
    directory = Path(side.engine).resolve() if side.engine else OURS
    if not (directory / "engine" / "__init__.py").is_file():
        raise Rejected(f"{name}: engine={side.engine}: there is no package engine in that directory")
    weights: dict[str, Any] = {}
    if side.weights:
        try:
            weights = _WEIGHTS.decode(text_of(side.weights))
        except msgspec.DecodeError as error:
            sentence = f"these are no weights, an object of names and numbers, nor tables: {error}"
            raise Rejected(f"{name}: {side.weights}: {sentence}") from None
    return EngineSetup(name, side, directory, weights, start, _book(name, side.book, start))


def _book(name: str, book: str, start: Position) -> str | None:
    """Return how a side's process is told of its book, None where it has none; raises `Rejected`."""
    if book in ("", OFF):
        return None
    try:
        found = book_for(start, book)
    except BadBook as error:
        raise Rejected(f"{name}: {error}") from None
    if found is None:
        raise Rejected(f"{name}: book={book}: this is no book of {title_of(start)}")
    return book if book == SHIPPED else str(Path(book).resolve())


def _contender(setup: EngineSetup, process: Process) -> Contender:
    return Contender(str(setup.side), process.digest, dict(setup.weights))


def _compile(work: AdaptiveWork, setups: tuple[EngineSetup, EngineSetup]) -> None:
    """Have compiled code made for sides that begin interpreted, and say of others that they wait for it."""
    if not can_compile() or work.is_compiled:
        return
    if not all(setup.waits_for_compiler for setup in setups):
        work.start_compiling()
    if any(setup.waits_for_compiler for setup in setups):
        say("compiling first: sides that play by time, with threads or with weights of their own wait for that")


def _judge(work: AdaptiveWork) -> Judge:
    """Return what judges openings: this engine, by a short search."""

    def judge(position: Position) -> int:
        def score(kernel: Kernel, stop: Stop) -> int | None:
            # a new searcher each time: what is thought of an opening must not depend on those before
            searcher = Searcher(kernel, megabytes=1)
            thought = searcher.think(position, (), SearchLimits(nodes=JUDGED_NODES), clock=perf_counter, stop=stop)
            if thought.score is None:  # so many children that one ply takes more
                thought = searcher.think(position, (), SearchLimits(depth=1), clock=perf_counter, stop=stop)
            return thought.score

        found = work.do(score)
        if found is None:
            raise Rejected("a position of an opening has too many moves to be judged")
        return found

    return judge


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_test(elo0: float, elo1: float, alpha: float, beta: float) -> None:
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        sentence = f"elo0 has to be the smaller one, and both within {MAX_ELO:.0f}"
        raise Rejected(f"--elo0 is {elo0} and --elo1 {elo1}, but {sentence}")
    for option, risk in (("alpha", alpha), ("beta", beta)):
        if not 0 < risk < 0.5:
            raise Rejected(f"--{option} is {risk}, but it has to be between 0 and 0.5")
