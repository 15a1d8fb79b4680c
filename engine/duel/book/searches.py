"""The searches that a book is made of, and the file that keeps them.

Each search looks at one position with so many nodes and an empty table, so that it finds the same whenever and in
whatever process it is done. A file of searches has the `Making` in its first line, and then a `Found` a line.
"""

from typing import NamedTuple

import msgspec

from engine.duel.book.book_file import FORMAT, MAKING, Making
from engine.duel.book.symmetry import Children, standing
from engine.duel.game_file import BadGames, read_games, read_setting
from engine.duel.training.selfplay import bare_position
from engine.games.interface import Kernel, State
from engine.search.searcher import Searcher, SearchLimits, Stop

MEGABYTES = 64
"""Of the transposition table, which is made anew for each search."""


class Search(NamedTuple):
    """A search to be done."""

    path: tuple[int, ...]
    """How to come to the position: a child's number each, in the position that stands for those that mirror it."""
    moves: tuple[int, ...]
    """The moves to choose from, as numbers of children."""


class Best(NamedTuple):
    """What it has found."""

    move: int
    """The number of a child."""
    score: int
    depth: int
    """Plies that were searched."""


class Found(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search that was done."""

    number: int
    """Counts from 0."""
    batch: int
    """Searches of one batch are chosen before any of them is done."""
    node: int
    """The position that was searched, or from which another one was reached, counted in the order of the book."""
    child: int | None
    """The move to that other position, as the number of a child; None where ``node`` itself was searched."""
    best: Best | None
    """None where every move leads to a position of the book."""


_FOUND = msgspec.json.Decoder(Found)


def search(kernel: Kernel, making: Making, wanted: Search, stop: Stop | None = None) -> Best:
    """Do a search, from a kernel of the start: of one ply where the nodes do not suffice even for that.

    ``stop`` is for whoever gives it up. Raises OverflowError where a position has more moves than a search can look at.
    """
    state = position_at(kernel, wanted.path)
    position = bare_position(kernel._replace(state=state))
    searcher = Searcher(kernel, megabytes=MEGABYTES)
    for limits in (SearchLimits(nodes=making.nodes, moves=wanted.moves), SearchLimits(depth=1, moves=wanted.moves)):
        thought = searcher.think(position, (), limits, clock=lambda: 0.0, stop=stop)
        if thought.score is not None:
            break
    if thought.score is None:
        raise OverflowError("a position of this book has too many moves to be searched")
    return Best(thought.line[0], thought.score, thought.depth)


def position_at(kernel: Kernel, path: tuple[int, ...]) -> State:
    """Return the position that a path leads to, the one that stands for those that mirror it."""
    children = Children(kernel)
    state = standing(kernel.rules, kernel.state)
    for number in path:
        state = children.child(state, number)
    return state


def making_of(content: bytes) -> Making:
    """Return what the searches of a file were made with; raises `BadGames`."""
    making = read_setting(content, MAKING, "an opening book")
    if making.format != FORMAT:
        raise BadGames(f"line 1: the format is {making.format}, but it has to be {FORMAT}")
    return making


def searches_of(content: bytes) -> list[Found]:
    """Return the searches of a file, in which they stand from number 0 on; raises `BadGames`.

    A last line without a newline, half written, is left out.
    """
    found = read_games(content, _FOUND, "search of an opening book")
    for at, one in enumerate(found):
        if one.number != at:
            raise BadGames(f"line {at + 2}: this is search {one.number}, but {at} should stand here")
    return found
