"""``arena-engine book``: opening books from self-play: growing one, showing what it says, checking it."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import msgspec
from cyclopts import App

from engine.commands.duel.results_file import opened_to_append, resume
from engine.commands.inputs import File, check_range, game_named, position_of, say_compiling, start_of, warn_of
from engine.commands.program.output import Rejected, answer, say
from engine.duel.book.book import Book, book_for, opened
from engine.duel.book.book_file import FORMAT, OFF, SHIPPED, BadBook, Making, write
from engine.duel.book.checking import faults, plies
from engine.duel.book.growth import Growth, Task
from engine.duel.book.searches import Best, Found, Search, making_of, search, searches_of
from engine.duel.game_file import BadGames, line_of
from engine.games.catalogue import USUAL_GAME, title_of
from engine.games.interface import GameError, Position
from engine.search.game_engine import AdaptiveWork
from engine.wire.words import number_of

QUIET_SECONDS = 5.0
"""A line of progress is told no more often than this."""

WRITTEN_SECONDS = 60.0
"""The book is written anew no more often than this, before it is as large as was asked for."""

MAX_POSITIONS = 1_000_000
MAX_NODES = 1_000_000_000
MAX_SEED = (1 << 31) - 1
MAX_JOBS = 1000

MOST_FAULTS = 20
"""No more are told."""

book = App(
    name="book", help="Make an opening book by self-play, show what one says, or check it.", help_format="plaintext"
)


@book.command
def make(
    file: Path,
    /,
    *,
    game: str = USUAL_GAME,
    params: str | None = None,
    positions: int = 1000,
    nodes: int = 1_000_000,
    seed: int = 1,
    jobs: int = 1,
) -> None:
    """Grow an opening book: search where scores say that it is most worth it, again and again.

    The move that is best outside of the book is taken up, of all positions that games come to in which one side plays
    by the book and the other one well; scores go back to the start. Every search is kept in FILE.searches, so that the
    same command goes on where it was ended, also by kill -9, and gives the same book, whatever --jobs is.

    Parameters
    ----------
    file
        File of the book; it is written once a minute, and at the end.
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    positions
        Positions that the book has in the end, or up to 7 more; more may be asked for later.
    nodes
        Positions that each search looks at.
    seed
        Of what is chosen where scores are close.
    jobs
        Processes that search at the same time.
    """
    rules = game_named(game)
    start = start_of(rules, rules.default_parameters if params is None else params)
    check_range("positions", positions, 1, MAX_POSITIONS)
    check_range("nodes", nodes, 1, MAX_NODES)
    check_range("seed", seed, 0, MAX_SEED)
    check_range("jobs", jobs, 1, MAX_JOBS)
    if start.verdict() is not None:
        raise Rejected("--params: this game is over before it begins")
    warn_of(start)
    kept = file.with_name(f"{file.name}.searches")
    if file.exists() and not kept.exists():
        raise Rejected(f"{file}: there is a book, but not {kept.name}, from which to go on; name another file")
    kernel = start.kernel(compile=False)
    making = Making(FORMAT, game, start.parameters, kernel.rules.label, seed, nodes)
    growth = Growth(kernel, making)
    with opened_to_append(str(kept), str(kept), "book") as appended, _searching(start, making, jobs) as searching:

        def read(content: bytes) -> list[Found]:
            before = making_of(content)
            if before != making:
                raise Rejected(f"{kept}: this file belongs to another book: {_differences(before, making)}")
            return searches_of(content)

        try:
            left = growth.resume(resume(appended, str(kept), "search", making, read))
        except BadGames as error:
            raise Rejected(f"{kept}: {error}") from None
        if growth.searches:
            say(f"going on after {growth.searches} searches")
        began = told = written = perf_counter()
        before = growth.searches
        while left or len(growth.nodes) < positions or not growth.is_settled:
            wanted = left or [(task, growth.search_of(task)) for task in growth.next_batch()]
            if not wanted:
                say("there is nothing more to find out")
                break
            for task, best in _done(wanted, searching):
                found = growth.found(task, best)
                appended.write(line_of(found))
                growth.add(found)
            growth.end_batch()
            left = []
            now = perf_counter()
            if now - told >= QUIET_SECONDS:
                told = now
                rate = 60 * (growth.searches - before) / (now - began)
                say(f"{len(growth.nodes)} of {number_of(positions, 'position')}, {rate:.0f} searches a minute")
            if growth.is_settled and now - written >= WRITTEN_SECONDS:
                written = now
                _write(file, write(making, growth.entries()))
        _write(file, write(making, growth.entries()))
    made = opened(file)
    searched = number_of(growth.searches, "search", "searches")
    answer(f"{number_of(len(growth.nodes), 'position')}, from {searched}, {growth.searches - before} of them new")
    answer(_by_ply(made))


@book.command
def show(
    file: str = SHIPPED,
    /,
    *,
    game: str = USUAL_GAME,
    params: str | None = None,
    position: File = None,
    after: str = "",
) -> None:
    """Show the moves that a book knows in a position, the best one first, each with what its score comes from.

    Scores are for the side to move, a piece of GIPF being worth 100, and are those of searches when the book was made:
    of a position at the end of a line that lies within the book, so many plies deep.

    Parameters
    ----------
    file
        File of the book; without it, or with shipped, the one of this distribution.
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with the position; - is standard input. Without it the start of the game.
    after
        Moves from there on, with commas between them, as in i5-h5,a1-b2.
    """
    at = position_of(game_named(game), params, position)
    for text in filter(None, (word.strip() for word in after.split(","))):
        try:
            at = at.resolve(text).position
        except GameError as error:
            raise Rejected(f"--after: {error}") from None
    found = _book(at, file)
    size = number_of(len(found.entries), "position")
    answer(f"book of {title_of(found.start)}: {size}, {found.making.nodes} nodes each, seed {found.making.seed}")
    entry = found.entry(at)
    if entry is None:
        answer("this position is not in the book")
        return
    answer(f"ply {entry.ply}, score {entry.score}")
    for move, result in zip(found.moves(at), found.results(at, len(found.entries)), strict=False):
        within = f"{number_of(move.line + 1, 'ply', 'plies')} in the book, then " if move.is_within else ""
        answer(f"{result.move}  score {move.score}, {within}{number_of(move.depth, 'ply', 'plies')} searched")


@book.command
def check(file: str = SHIPPED, /, *, game: str = USUAL_GAME, params: str | None = None) -> None:
    """Check a book: its checksum, that legal moves lead to every position, and every score against those behind it.

    Parameters
    ----------
    file
        File of the book; without it, or with shipped, the one of this distribution.
    game
        The game whose book of this distribution is meant.
    params
        The variant, likewise.
    """
    if file == SHIPPED:
        found = _book(position_of(game_named(game), params, None), file)
    else:
        try:
            found = opened(Path(file))
        except BadBook as error:
            raise Rejected(str(error)) from None
    wrong = list(faults(found))
    for fault in wrong[:MOST_FAULTS]:
        answer(fault)
    if wrong:
        raise ChildProcessError(f"{len(wrong)} faults in this book")
    answer(f"true: {number_of(len(found.entries), 'position')} of {title_of(found.start)}")
    answer(_by_ply(found))


def _book(position: Position, name: str) -> Book:
    try:
        found = None if name == OFF else book_for(position, name)
    except BadBook as error:
        raise Rejected(str(error)) from None
    if found is None:
        raise Rejected(f"{name}: there is no such book of {title_of(position)}")
    return found


def _by_ply(found: Book) -> str:
    counts = sorted(plies(found).items())
    return "positions by plies from the start: " + ", ".join(f"{ply}: {count}" for ply, count in counts)


def _differences(there: Making, here: Making) -> str:
    pairs = zip(msgspec.structs.asdict(there).items(), msgspec.structs.asdict(here).values(), strict=True)
    differ = ", ".join(f"{name} {ours} is {theirs} there" for (name, theirs), ours in pairs if ours != theirs)
    return f"{differ}. Name another file, or ask for the same"


def _write(file: Path, content: bytes) -> None:
    """Write the book, so that at any moment there is a whole one."""
    beside = file.with_name(f"{file.name}.new")
    beside.write_bytes(content)
    os.replace(beside, file)


class _Searching:
    """Does searches, in this process or in others."""

    def __init__(self, work: AdaptiveWork, making: Making, pool: ProcessPoolExecutor | None) -> None:
        self._work = work
        self._making = making
        self._pool = pool

    def done(self, wanted: list[Search]) -> Iterator[Best]:
        """Yield what searches find, in their order."""
        if self._pool is None:
            for one in wanted:
                yield _searched(self._work, self._making, one)
        else:
            yield from self._pool.map(_search, [self._making] * len(wanted), wanted)


@contextmanager
def _searching(start: Position, making: Making, jobs: int) -> Iterator[_Searching]:
    work = AdaptiveWork(start, compiling=lambda: say_compiling(start))
    if jobs == 1:
        yield _Searching(work, making, None)
        return
    work.start_compiling()  # once for all processes
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield _Searching(work, making, pool)


def _done(wanted: list[tuple[Task, Search | None]], searching: _Searching) -> Iterator[tuple[Task, Best | None]]:
    """Yield tasks with what their searches have found."""
    found = searching.done([one for _, one in wanted if one is not None])
    for task, one in wanted:
        yield task, None if one is None else next(found)


def _search(making: Making, wanted: Search) -> Best:
    return _searched(_work(making.game, making.parameters), making, wanted)


def _searched(work: AdaptiveWork, making: Making, wanted: Search) -> Best:
    return work.do(lambda kernel, stop: search(kernel, making, wanted, stop))


@cache
def _work(game: str, parameters: str) -> AdaptiveWork:
    return AdaptiveWork(start_of(game_named(game), parameters), compiling=None)
