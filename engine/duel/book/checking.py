"""Whether a book is what the rules and its own records say it has to be.

Everything is looked at anew by the interpreted rules, from the start of the game on; only the scores of searches
outside of the book are believed.
"""

from collections import Counter
from collections.abc import Iterator

from engine.duel.book.book import Book
from engine.duel.book.book_file import Entry
from engine.duel.book.symmetry import Children, shared_key, standing
from engine.search.scores import moved
from engine.wire.words import number_of


def plies(book: Book) -> Counter[int]:
    """Return how many positions there are so many plies from the start."""
    return Counter(entry.ply for entry in book.entries.values())


def faults(book: Book) -> Iterator[str]:
    """Yield a sentence for everything that is wrong; nothing where the book is whole."""
    kernel = book.start.kernel(compile=False)
    rules, children = kernel.rules, Children(kernel)
    start = standing(rules, kernel.state)
    reached = {shared_key(rules, start): (start, 0)}
    to_look_at = list(reached)
    for key in to_look_at:  # grows meanwhile
        state, ply = reached[key]
        entry, keys = book.entries[key], children.keys(state)
        if entry.ply != ply:
            yield f"{key:x}: it lies {number_of(ply, 'ply', 'plies')} from the start, and not {entry.ply}"
        yield from _faults_of(key, entry, keys, book)
        for number, child in enumerate(keys):
            if child in book.entries and child not in reached and book.entries[child].ply == entry.ply + 1:
                reached[child] = children.child(state, number), ply + 1
                to_look_at.append(child)
    for key in book.entries.keys() - reached.keys():
        yield f"{key:x}: no legal moves within the book lead to this position"


def _faults_of(key: int, entry: Entry, keys: list[int], book: Book) -> Iterator[str]:
    within = {child: book.entries[child] for child in keys if child in book.entries}
    within = {child: other for child, other in within.items() if other.ply > entry.ply}
    options = [(moved(-other.score, 1), True, other.line + 1, other.depth) for other in within.values()]
    if entry.has_outside:
        options.append((entry.outside_score, False, 0, entry.outside_depth))
        if entry.outside not in keys:
            yield f"{key:x}: its best move outside of the book is not legal"
        if entry.outside in within:
            yield f"{key:x}: its best move outside of the book leads into the book"
    elif len(within) < len(set(keys)):
        yield f"{key:x}: there are moves outside of the book, but none of them is known"
    if not options or (entry.score, entry.line, entry.depth) != (max(options)[0], *max(options)[2:]):
        yield f"{key:x}: its score and line are not those of its best move"
