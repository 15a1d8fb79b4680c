"""How a book grows: which search comes next, and what all of them come to.

A book is a graph of positions, without cycles: a move counts as one of the book where it leads to a position that lies
further from the start. Of each position the best move outside of the book is known, from a search of all such moves.
So the score of a position is the best of that one and of what its moves within the book are worth (Buro, Toward
Opening Book Learning, 1999).

What is looked at next are moves outside of the book: those which are made soonest when one side plays by the book and
the other one whatever is nearly as good (drop-out expansion; Lincke, Strategies for the Automatic Construction of
Opening Books, 2000). The position behind such a move is searched and taken up, and then the position before it is
searched again, without the move. Searches are chosen in batches, so that several can be done at a time and the book is
the same however many are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from engine.duel.book.book_file import MOST_PLIES, Entries, Entry, Making
from engine.duel.book.searches import Best, Found, Search
from engine.duel.book.symmetry import Children, drawn, shared_key, standing
from engine.duel.game_file import BadGames
from engine.games.interface import Kernel, State
from engine.search.scores import is_open, moved

BATCH = 8
"""Moves that are taken up before scores are looked at again."""

PLY_COST = 4
"""A move as good as the best is taken up as soon as a worse one by so much, a ply nearer to the start."""

OWN_LOSS = 6
"""What a side loses that plays by the book counts so many times: it makes such moves only if scores change."""


class Task(NamedTuple):
    """A search that comes next, as `Found` names it."""

    node: int
    child: int | None


@dataclass
class Node:
    """A position of a book."""

    state: State
    key: int
    ply: int
    path: tuple[int, ...]
    keys: list[int]
    """Of its children, in their order."""
    best: Best | None = None
    """The best move outside of the book, as it was when that was searched."""
    within: dict[int, int] = field(default_factory=dict)
    """Nodes further from the start that moves lead to, by their keys."""
    value: int = 0
    line: int = 0
    depth: int = 0

    @property
    def is_outdated(self) -> bool:
        """Whether the best move outside of the book is none any more."""
        return self.best is not None and self.keys[self.best.move] in self.within


class Growth:
    """A book that grows, from a kernel of the start."""

    def __init__(self, kernel: Kernel, making: Making) -> None:
        """Begin without a position."""
        self._rules = kernel.rules
        self._start = standing(kernel.rules, kernel.state)
        self._children = Children(kernel)
        self._making = making
        self.nodes: list[Node] = []
        self._by_key: dict[int, int] = {}
        self._reached_by: dict[int, list[int]] = {}
        """Nodes that have a child with a key."""
        self.searches = 0
        """How many searches were done."""
        self.batch = 0
        """The number of the present batch."""

    @property
    def is_settled(self) -> bool:
        """Whether the best move outside of the book is known of every position."""
        return bool(self.nodes) and not any(node.is_outdated for node in self.nodes)

    def next_batch(self) -> list[Task]:
        """Return which searches come next, none where there is nothing more to find out."""
        if not self.nodes:
            return [Task(0, None)]
        outdated = [Task(at, None) for at, node in enumerate(self.nodes) if node.is_outdated]
        return outdated or self._promising()

    def search_of(self, task: Task) -> Search | None:
        """Return the search of a task; None where every move of the position leads to one of the book."""
        if not self.nodes:
            return Search((), ())
        node = self.nodes[task.node]
        state, path, ply, keys = node.state, node.path, node.ply, node.keys
        if task.child is not None:
            state, path, ply = self._children.child(state, task.child), (*path, task.child), ply + 1
            keys = self._children.keys(state)
        outside = tuple(number for number, key in enumerate(keys) if not self._is_further(key, ply))
        if not outside:
            return None
        return Search(path, () if len(outside) == len(keys) else outside)

    def found(self, task: Task, best: Best | None) -> Found:
        """Return a search of the present batch as it is kept."""
        return Found(self.searches, self.batch, task.node, task.child, best)

    def add(self, found: Found) -> None:
        """Add a search of the present batch, in the order of their tasks."""
        self.searches += 1
        if not self.nodes:
            self._take_up(self._start, 0, (), found.best)
        elif found.child is None:
            self.nodes[found.node].best = found.best
        else:
            before = self.nodes[found.node]
            state = self._children.child(before.state, found.child)
            self._take_up(state, before.ply + 1, (*before.path, found.child), found.best)

    def end_batch(self) -> None:
        """Look at scores again, when all searches of a batch were added."""
        self.batch += 1
        for node in sorted(self.nodes, key=lambda node: -node.ply):
            node.value, _, node.line, node.depth = max(self._options(node))

    def resume(self, searches: list[Found]) -> list[tuple[Task, Search | None]]:
        """Add searches that were done before; return what is left of the last batch. Raises `BadGames`."""
        at = 0
        while at < len(searches):
            tasks = self.next_batch()
            done = searches[at : at + len(tasks)]
            whole = len(done) == len(tasks)
            wanted = [] if whole else [(task, self.search_of(task)) for task in tasks]
            for task, one in zip(tasks, done, strict=False):
                self._check(one, task, at)
                self.add(one)
                at += 1
            if not whole:
                return wanted[len(done) :]
            if not tasks:
                raise BadGames(f"line {at + 2}: there is nothing more to search, but here stands a search")
            self.end_batch()
        return []

    def entries(self) -> Entries:
        """Return the records of the book, when it is settled."""
        found = {}
        for node in self.nodes:
            best = node.best or Best(0, 0, 0)
            outside = node.keys[best.move] if node.best else 0
            has_outside = node.best is not None
            found[node.key] = Entry(
                outside, node.value, best.score, best.depth, node.ply, has_outside, node.line, node.depth
            )
        return found

    def _take_up(self, state: State, ply: int, path: tuple[int, ...], best: Best | None) -> None:
        key = shared_key(self._rules, state)
        at = len(self.nodes)
        node = Node(state, key, ply, path, self._children.keys(state), best)
        self.nodes.append(node)
        self._by_key[key] = at
        for child in dict.fromkeys(node.keys):
            self._reached_by.setdefault(child, []).append(at)
            if self._is_further(child, ply):
                node.within[child] = self._by_key[child]
        for other in self._reached_by.get(key, ()):
            if self.nodes[other].ply < ply:
                self.nodes[other].within[key] = at

    def _is_further(self, key: int, ply: int) -> bool:
        """Tell whether a position is in the book and further from the start than so many plies."""
        at = self._by_key.get(key)
        return at is not None and self.nodes[at].ply > ply

    def _options(self, node: Node) -> Iterator[tuple[int, bool, int, int]]:
        """Yield what each move is worth that is known, whether it stays within the book, and its line and depth."""
        if node.best is not None and not node.is_outdated:
            yield node.best.score, False, 0, node.best.depth
        for at in node.within.values():
            child = self.nodes[at]
            yield moved(-child.value, 1), True, child.line + 1, child.depth

    def _promising(self) -> list[Task]:
        """Return the moves outside of the book that are to be taken up next."""
        costs: dict[int, tuple[int, int]] = {0: (0, 0)}
        open_ones: dict[int, tuple[int, int, Task]] = {}
        for at, node in sorted(enumerate(self.nodes), key=lambda item: item[1].ply):
            cost = costs[at]
            for to in node.within.values():
                reached = _cost_after(cost, node, moved(-self.nodes[to].value, 1))
                costs[to] = _least(costs.get(to, reached), reached)
            if self._can_be_taken_up(node) and node.best is not None:
                key = node.keys[node.best.move]
                priority = min(_cost_after(cost, node, node.best.score)) + self._chance(key)
                option = priority, at, Task(at, node.best.move)
                open_ones[key] = min(open_ones.get(key, option), option)
        tasks = (task for *_, task in sorted(open_ones.values()))
        return list(islice((task for task in tasks if self._goes_on(task)), BATCH))

    def _can_be_taken_up(self, node: Node) -> bool:
        """Tell whether the best move outside of the book proves nothing, and leads to a position that is not in it."""
        if node.best is None or node.keys[node.best.move] in self._by_key:
            return False
        return node.ply < MOST_PLIES and is_open(node.best.score)

    def _goes_on(self, task: Task) -> bool:
        """Tell whether the game is not over after a move."""
        return task.child is not None and self._children.goes_on(
            self._children.child(self.nodes[task.node].state, task.child)
        )

    def _chance(self, key: int) -> int:
        """Return how much later a move is taken up by chance: less than a ply costs."""
        return drawn(self._making.seed, key) % PLY_COST

    def _check(self, found: Found, task: Task, at: int) -> None:
        best = found.best
        if (found.batch, found.node, found.child) != (self.batch, *task):
            raise BadGames(f"line {at + 2}: another search should stand here")
        state = self._start
        if self.nodes:
            state = self.nodes[task.node].state
        if task.child is not None:
            state = self._children.child(state, task.child)
        if best is not None and not 0 <= best.move < len(self._children.states(state)):
            raise BadGames(f"line {at + 2}: the position has no move {best.move}")


def _cost_after(cost: tuple[int, int], node: Node, score: int) -> tuple[int, int]:
    """Return the costs of a move: where the first side plays by the book, and where the second one does."""
    loss = node.value - score
    first, second = (OWN_LOSS, 1) if node.ply % 2 == 0 else (1, OWN_LOSS)
    return cost[0] + PLY_COST + first * loss, cost[1] + PLY_COST + second * loss


def _least(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Return the lesser cost of either kind."""
    return min(one[0], other[0]), min(one[1], other[1])
