"""GIPF: positions, and the game for `engine.games.interface`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.compiling.binding import popcount
from engine.games.boards.layout import Drawing, Stock
from engine.games.gipf import board, notation, rules
from engine.games.gipf.geometry import Parameters, parse, windows
from engine.games.gipf.kernel import GipfRules, bind, field_sets, reweigher
from engine.games.gipf.patterns import patterns_of
from engine.games.interface import Child, Game, Outcome, Position

OCCUPIED_PART = 0.4
"""Part of the fields with a piece at the end of a usual game."""

PLIES_PER_CAPTURE, PLIES_PER_CAPTURE_SHORT, SHORT_RUN = 5, 15, 3
"""Moves of both sides for each captured piece, in general and for K of at most SHORT_RUN, where most collected pieces
return to the reserve."""


class Ending(StrEnum):
    """The ends of GIPF on the board."""

    NO_RESERVE = "no_reserve"
    """The loser is to move and has no piece in reserve."""
    DEAD_LOCK = "dead_lock"
    """The loser is to move and every line is full."""


@dataclass(frozen=True, slots=True, repr=False)
class GipfPosition(Position):
    """A position of GIPF: L and the state."""

    variant: Parameters
    state: rules.State

    @property
    def game(self) -> Game:
        """The game of GIPF."""
        return GIPF

    @property
    def stage(self) -> int:
        """Number of pieces that are not captured."""
        return popcount(self.state.white | self.state.black) + self.state.white_reserve + self.state.black_reserve

    @property
    def plies_ahead(self) -> int:
        """The usual number of moves to capture all pieces beyond OCCUPIED_PART, and to use up a reserve.

        Games of 4 4 15 15 at 2000 nodes a move have 102 moves on average, games of 3 3 12 12 have 271.
        """
        occupied = OCCUPIED_PART * (3 * self.variant.size * (self.variant.size - 1) + 1)
        plies = PLIES_PER_CAPTURE if self.variant.run > SHORT_RUN else PLIES_PER_CAPTURE_SHORT
        least = min(self.state.white_reserve, self.state.black_reserve)
        return round(plies * max(0.0, self.stage - occupied)) + 2 * least

    @property
    def reserves(self) -> tuple[int, int]:
        """The reserves of white and black."""
        return self.state.white_reserve, self.state.black_reserve

    @property
    def captured(self) -> tuple[int, int]:
        """The captured pieces of white and black."""
        white, black = (
            total - reserve - popcount(pieces)
            for total, reserve, pieces in zip(self.variant[2:], self.reserves, self.state[:2], strict=True)
        )
        return white, black

    @property
    def mobility(self) -> tuple[int, int]:
        """The number of possible pushes of each side; 0 without a reserve."""
        white, black = (len(self.open_pushes) if reserve else 0 for reserve in self.reserves)
        return white, black

    @property
    def open_pushes(self) -> list[int]:
        """The numbers of the pushes along lines that are not full, in the documented order."""
        occupied = self.state.white | self.state.black
        return [number for number, line in enumerate(self._rules().LINE) if line & ~occupied]

    @property
    def outcome(self) -> Outcome | None:
        """The loss of a side to move without reserve or without a line that is not full, else None."""
        if self._rules().can_push(self.state):
            return None
        winner = 1 - self.state.side
        loser = notation.SIDES[self.state.side]
        if self.reserves[self.turn] == 0:
            return Outcome(winner, Ending.NO_RESERVE, f"{loser} is to move and has no piece in reserve")
        return Outcome(winner, Ending.DEAD_LOCK, f"{loser} is to move and every line is full")

    def children(self) -> Iterator[Child]:
        """Yield every (push, final position), pushes in the documented order."""
        for number in self.open_pushes if self.reserves[self.turn] else ():
            for state, text in notation.push_moves(self.variant.size, self.variant.run, self.state, number):
                yield Child(text, GipfPosition(self.variant, state))

    def child(self, move: str) -> Child:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        text, state = notation.resolve(self.variant.size, self.variant.run, self.state, move)
        return Child(text, GipfPosition(self.variant, state))

    def text(self) -> str:
        """Return the board text."""
        return board.write(self.variant, self.state)

    def picture(self, last: Child | None = None) -> str:
        """Draw the board with its dots and their names."""
        return board.draw(self.variant.size, self.state, self.marked_field(last.move) if last else "")

    def marked_field(self, move: str) -> str:
        """Return the first field of the push of a move."""
        return move.split(" ")[0].partition("-")[2]

    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with its dots and pieces."""
        layout = board.layout(self.variant.size)
        first, second = map(Stock, self.reserves, self.captured)
        marked = self.marked_field(last.move) if last else None
        return Drawing(layout=layout, pieces=self._standing(layout), stock=(first, second), marked=marked)

    def summary(self) -> str:
        """Return the reserve and the captured pieces of each side."""
        sides = zip(notation.SIDES, self.reserves, self.captured, strict=True)
        return "; ".join(f"{name}: {reserve} in reserve, {lost} captured" for name, reserve, lost in sides)

    @property
    def _sets(self) -> tuple[int, int]:
        return self.state.white, self.state.black

    @property
    def _windows(self) -> tuple[Sequence[int], int]:
        size, run, *_ = self.variant
        return windows(size, run), run

    def _name(self, field: int) -> str:
        return notation.names(self.variant.size).by_bit[field]

    def _rules(self, *, compile: bool = False) -> GipfRules:
        return bind(self.variant.size, self.variant.run, compile=compile)

    def _kernel_state(self, *, compile: bool) -> rules.State:
        sets = field_sets(self.variant.size, compile=compile)
        white, black, *others = self.state
        return rules.State(sets.number(white), sets.number(black), *others)


GIPF = Game(
    name="gipf",
    title="GIPF",
    sides=notation.SIDES,
    marks=board.MARKS,
    default_parameters="4 4 15 15",
    variant_of=parse,
    first_position=lambda variant: GipfPosition(variant, board.start(variant)),
    read=lambda text: GipfPosition(*board.read(text)),
    reweigher=reweigher,
    patterns=lambda text: patterns_of(parse(text)),
)
"""The game of GIPF in every generalised variant."""


class RowText(NamedTuple):
    """A row to collect: its text in a move, and the fields of its pieces of both colours."""

    text: str
    fields: tuple[str, ...]


class PushResult(NamedTuple):
    """The result of a push and of row choices."""

    position: GipfPosition
    """The position after them, with the opponent to move."""
    taken: tuple[RowText, ...]
    """The collected rows, chosen or not."""
    crossing: tuple[RowText, ...]
    """The crossing rows, one of which is to be chosen next. Empty if the move is complete."""


def pushes(position: GipfPosition) -> list[str]:
    """Return every legal push in the documented order, without row choices. Empty if the game is over."""
    numbers = position.open_pushes if position.reserves[position.turn] else ()
    return [notation.names(position.variant.size).texts[number] for number in numbers]


def play_push(position: GipfPosition, text: str) -> PushResult:
    """Play a push and the row choices after it.

    Raises `engine.games.interface.BadMove` as `GipfPosition.child` does, but not for a missing choice.
    """
    size, run, *_ = position.variant
    rules = bind(size, run)
    number, named = notation.push_of(size, rules, position.state, text)
    found = notation.collect(size, rules, rules.after_push(position.state, number), position.turn, named)

    def texts(rows: list[notation.Row]) -> tuple[RowText, ...]:
        fields = notation.names(size).fields.items()
        return tuple(
            RowText(notation.row_text(size, rules, row), tuple(name for name, bit in fields if row.fields & bit))
            for row in rows
        )

    return PushResult(GipfPosition(position.variant, found.state), texts(found.taken), texts(found.crossing))
