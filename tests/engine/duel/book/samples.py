"""Small books, grown by interpreted searches."""

from functools import cache

from engine.duel.book.book import Book
from engine.duel.book.book_file import FORMAT, Making, write
from engine.duel.book.growth import Growth
from engine.duel.book.searches import Found, search
from engine.games.catalogue import GAMES
from engine.games.interface import Kernel

NODES = 60

SMALL = ("gipf", "2 2 5 5"), ("gipf", "3 3 7 7"), ("mnk", "4 4 4"), ("morris", "")


def making_of(game: str, parameters: str, seed: int = 1, nodes: int = NODES) -> tuple[Kernel, Making]:
    start = GAMES[game].start(parameters or GAMES[game].default_parameters)
    kernel = start.kernel(compile=False)
    return kernel, Making(FORMAT, game, start.parameters, kernel.rules.label, seed, nodes)


@cache
def grown(game: str, parameters: str, positions: int, seed: int = 1) -> tuple[Growth, tuple[Found, ...]]:
    """Return a book that has grown, and its searches."""
    kernel, making = making_of(game, parameters, seed)
    growth = Growth(kernel, making)
    done = []
    while len(growth.nodes) < positions or not growth.is_settled:
        tasks = [(task, growth.search_of(task)) for task in growth.next_batch()]
        if not tasks:
            break
        for task, wanted in tasks:
            done.append(growth.found(task, None if wanted is None else search(kernel, making, wanted)))
            growth.add(done[-1])
        growth.end_batch()
    return growth, tuple(done)


def book_of(game: str, parameters: str, positions: int, seed: int = 1) -> Book:
    _, making = making_of(game, parameters, seed)
    return Book(write(making, grown(game, parameters, positions, seed)[0].entries()))
