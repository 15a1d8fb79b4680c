"""Looking positions up in a book, the one of this distribution or another one.

A book tells what searches had found when it was made. None is done here, and nothing is compiled.
"""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

from engine.duel.book.book_file import DIGEST_BYTES, OFF, SHIPPED, BadBook, Entry, read
from engine.duel.book.symmetry import Children, drawn, shared_key
from engine.games.catalogue import GAMES, variant_title
from engine.games.interface import Position
from engine.search.scores import moved
from engine.search.searcher import SearchResult

SHIPPED_FILES = {("gipf", "4 4 15 15"): "gipf_4_4_15_15.book"}
"""Variants with books in this package."""

FOLDER = Path(__file__).parent


class BookMove(NamedTuple):
    """What a book says of a move."""

    number: int
    """Which child it leads to, in the kernel's order of generation."""
    score: int
    """For the side that makes it, as a search has it."""
    line: int
    """Plies of its best line that lie within the book, this move not counted."""
    depth: int
    """Plies that were searched at the end of this line when the book was made."""
    is_within: bool
    """Whether the position that it leads to is in the book."""


class Book:
    """The book of a variant."""

    def __init__(self, content: bytes) -> None:
        """Read a file; raises `BadBook`."""
        self.making, self.entries = read(content)
        self.digest = content[-DIGEST_BYTES:]
        """What tells it from all other books."""
        game = GAMES.get(self.making.game)
        try:
            start = None if game is None else game.start(self.making.parameters)
        except ValueError:
            start = None
        if start is None:
            variant = variant_title(f"{self.making.game} {self.making.parameters}")
            raise BadBook(f"this is a book of {variant}, which is not known here")
        self.start: Position = start
        kernel = self.start.kernel(compile=False)
        if shared_key(kernel.rules, kernel.state) not in self.entries:
            raise BadBook("this opening book was made by another version: it does not have the start of its game")

    def is_of(self, position: Position) -> bool:
        """Tell whether this is the book of a position's variant."""
        return (position.game.name, position.parameters) == (self.making.game, self.making.parameters)

    def entry(self, position: Position) -> Entry | None:
        """Return what the book knows of a position; None for others, and for those of other variants."""
        if not self.is_of(position):
            return None
        kernel = position.kernel(compile=False)
        return self.entries.get(shared_key(kernel.rules, kernel.state))

    def moves(self, position: Position) -> list[BookMove]:
        """Return the moves that the book knows in a position, the best one first; none where it has it not."""
        entry = self.entry(position)
        if entry is None:
            return []
        kernel = position.kernel(compile=False)
        found: list[tuple[int, BookMove]] = []
        for number, key in enumerate(Children(kernel).keys(kernel.state)):
            child = self.entries.get(key)
            if child is not None and child.ply > entry.ply:
                found.append((key, BookMove(number, moved(-child.score, 1), child.line, child.depth, True)))
            elif entry.has_outside and key == entry.outside:
                found.append((key, BookMove(number, entry.outside_score, 0, entry.outside_depth, False)))
        # of equal ones the same comes first in all positions that mirror each other
        found.sort(key=lambda item: (-item[1].score, not item[1].is_within, -item[1].line, -item[1].depth, item[0]))
        return [move for _, move in found]

    def results(self, position: Position, lines: int) -> list[SearchResult]:
        """Return so many of the best moves in the form of what a search finds; none where the book has not any."""
        return [
            SearchResult(position, (move.number,), move.score, 0, 0, 0.0, rank, is_book=True)
            for rank, move in enumerate(self.moves(position)[:lines], 1)
        ]

    def choose(
        self, position: Position, earlier: Collection[int] = (), *, margin: int = 0, seed: int = 0
    ) -> SearchResult | None:
        """Return a move to play: the best one, or one of those that are worth at most ``margin`` less.

        Which of these depends on the seed and the position. ``earlier`` holds the keys, as of
        `engine.search.searcher.key_of`, of the positions that stood on the board before. To one of these the book has
        nothing to say, nor does it lead back to one: then a search has to look at what repetitions mean.
        """
        kernel = position.kernel(compile=False)
        moves = self.moves(position)
        if not moves or int(kernel.rules.hash_of(kernel.state)) in earlier:
            return None
        children = Children(kernel).states(kernel.state)
        good = [move for move in moves if move.score >= moves[0].score - margin]
        good = [move for move in good if int(kernel.rules.hash_of(children[move.number])) not in earlier]
        if not good:
            return None
        at = drawn(seed, shared_key(kernel.rules, kernel.state)) % len(good) if margin else 0
        return SearchResult(position, (good[at].number,), good[at].score, 0, 0, 0.0, is_book=True)


def opened(file: Path) -> Book:
    """Return the book of a file; raises `BadBook`, which names the file."""
    try:
        return Book(file.read_bytes())
    except OSError as error:
        raise BadBook(f"{file}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadBook(f"{file}: {error}") from None


@cache
def _shipped(name: str) -> Book:
    return opened(FOLDER / name)


def book_for(position: Position, name: str) -> Book | None:
    """Return the book that a position's variant has, None where there is none; raises `BadBook`.

    ``name`` is that of a file, or `SHIPPED` or `OFF`.
    """
    if name == OFF:
        return None
    if name == SHIPPED:
        file = SHIPPED_FILES.get((position.game.name, position.parameters))
        return None if file is None else _shipped(file)
    book = opened(Path(name))
    return book if book.is_of(position) else None
