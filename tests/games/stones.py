"""A fifth game, to show how one is added: take one to three stones from a heap; who takes the last one wins.

The parameters are the number of stones. A move is the number taken. A position is written as two numbers: the stones
that lie there, and the side to move, 1 or 2.

    python -m tests.games.stones server serve ...
    python -m tests.games.stones bots alphabeta --game stones ...

are the arena's own programs with this game in the catalogue.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from engine.compiling.binding import bind_fields
from engine.games.boards.layout import Drawing, cells
from engine.games.catalogue import GAMES
from engine.games.interface import (
    LOST,
    UNDECIDED,
    BadMove,
    BadParameters,
    BadPosition,
    Child,
    Fields,
    Game,
    Outcome,
    Position,
    Rules,
)

# The rules, as functions over integers, which the search compiles.

WORDS = 2
MOST = 3  # stones that a move may take


class State(NamedTuple):
    """The stones that are left, and who moves (0 or 1)."""

    left: int
    side: int


def load(arena: Any, at: int) -> State:
    """Return the position in a place of an arena."""
    return State(arena[at * WORDS], arena[at * WORDS + 1])


def store(arena: Any, at: int, state: State, _: int) -> None:
    """Write a position into a place of an arena."""
    arena[at * WORDS], arena[at * WORDS + 1] = state.left, state.side


def children(state: State, arena: Any, first: int) -> int:
    """Write the positions that moves lead to; return their end."""
    end = first + min(MOST, state.left)
    if end * WORDS > len(arena):
        raise OverflowError("the arena is full")
    for at in range(first, end):
        store(arena, at, State(state.left - (at - first + 1), 1 - state.side), 0)
    return end


def perft(state: State, depth: int, unique: bool, arena: Any, first: int) -> int:
    """Count leaves."""
    end = children(state, arena, first)
    if depth == 1:
        return end - first
    leaves = 0
    for at in range(first, end):
        leaves += perft(load(arena, at), depth - 1, unique, arena, end)
    return leaves


def verdict(state: State) -> int:
    """Tell whether the side to move has lost: the other one has taken the last stone."""
    return LOST if state.left == 0 else UNDECIDED


def evaluate(state: State) -> int:
    """Know nothing: the search finds out."""
    return 0


def hash_of(state: State) -> int:
    """Return a number that tells positions apart."""
    return (2 * state.left + state.side) * 0x9E3779B1 & ((1 << 62) - 1)


def plies_left(state: State) -> int:
    """Return how many moves there can be."""
    return state.left


@cache
def rules(compile: bool) -> Rules:
    """Return the functions above, interpreted or compiled."""
    return bind_fields(Rules, (sys.modules[__name__],), "stones", {"WORDS": WORDS}, compile=compile)


# The game as people and programs see it.


class Ending(StrEnum):
    """How a game ends."""

    LAST_STONE = "last_stone"
    """The winner has taken the last stone."""


@dataclass(frozen=True, slots=True, repr=False)
class Heap(Position):
    """A position: what the heap had at first, and the state."""

    variant: "Stones"
    state: State

    @property
    def game(self) -> Game:
        """The game of stones."""
        return STONES

    @property
    def stage(self) -> int:
        """Every move takes stones, which never come back."""
        return self.state.left

    @property
    def plies_ahead(self) -> int:
        """Two stones a move."""
        return self.state.left // 2 + 1

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """Nobody owns stones."""
        return frozenset(), frozenset()

    @property
    def lines(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A heap has no lines."""
        return (), ()

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """Nor has it fields."""
        return frozenset(), frozenset()

    @property
    def mobility(self) -> tuple[int, int]:
        """Both sides may take the same."""
        ways = min(MOST, self.state.left)
        return ways, ways

    @property
    def outcome(self) -> Outcome | None:
        """Return the end, when the heap is empty."""
        if self.state.left:
            return None
        return Outcome(1 - self.turn, Ending.LAST_STONE, f"{STONES.sides[1 - self.turn]} has taken the last stone")

    def children(self) -> Iterator[Child]:
        """Yield the moves, the least first."""
        for taken in range(1, min(MOST, self.state.left) + 1):
            yield Child(str(taken), Heap(self.variant, State(self.state.left - taken, 1 - self.turn)))

    def child(self, move: str) -> Child:
        """Return the move and what follows."""
        text = move.strip()
        if not re.fullmatch("[0-9]{1,9}", text):
            raise BadMove("BAD_MOVE_NO_NUMBER", f"a move is the number of stones to take, not {move!r}")
        for child in self.children():
            if child.move == str(int(text)):
                return child
        raise BadMove("BAD_MOVE_NUMBER", f"{text} cannot be taken: 1 to {MOST} can, of {self.state.left}")

    def text(self) -> str:
        """Write the position."""
        return f"{self.variant} {self.state.left} {self.turn + 1}\n"

    def picture(self, last: Child | None = None) -> str:
        """Draw the heap."""
        return "o" * self.state.left + (f" [{last.move}]" if last else "") + "\n"

    def marked_field(self, move: str) -> None:
        """Mark nothing."""

    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the stones as a row of cells, of which those that were taken are blocked."""
        names = [str(number) for number in range(1, self.variant + 1)]
        layout = cells(len(names), 1, names, names, [])
        return Drawing(layout=layout, pieces=(), blocked=tuple(names[self.state.left :]))

    def summary(self) -> str:
        """Say what is left."""
        return f"{self.state.left} stones"

    def _rules(self, *, compile: bool = False) -> Rules:
        return rules(compile)


class Stones(int):
    """A variant: the stones at first."""

    warning = ""


def stones_of(text: str) -> Stones:
    """Read a number of stones."""
    if not re.fullmatch("[0-9]{1,3}", text.strip()) or int(text) == 0:
        raise BadParameters("bad_parameters", f"a heap has 1 to 999 stones, not {text!r}")
    return Stones(text)


def read(text: str) -> Position:
    """Read what `Heap.text` writes."""
    words = text.split()
    if len(words) != 3 or not all(word.isdecimal() for word in words) or words[2] not in ("1", "2"):
        raise BadPosition("bad_position", "expected stones at first and now, and 1 or 2 for who moves", 1)
    stones, left = int(words[0]), int(words[1])
    if left > stones:
        raise BadPosition("bad_position", f"{left} stones are left of {stones}", 1)
    return Heap(Stones(stones), State(left, int(words[2]) - 1))


STONES = Game(
    name="stones",
    title="Stones",
    sides=("first", "second"),
    marks=("1", "2"),
    default_parameters="12",
    variant_of=stones_of,
    first_position=lambda stones: Heap(stones, State(stones, 0)),
    read=read,
)

if __name__ == "__main__":
    from tests.games import stones  # as a module of its own name, as everybody else imports it

    GAMES[stones.STONES.name] = stones.STONES
    program, *sys.argv[1:] = sys.argv[1:]
    import_module(f"{program}.cli").main()
