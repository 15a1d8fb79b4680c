"""m,n,k-games: positions, and the game for `engine.games.interface`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.compiling.binding import popcount
from engine.games.boards.layout import Drawing, each_field
from engine.games.interface import BadMove, Child, Game, Position
from engine.games.mnk import board, rules
from engine.games.mnk.kernel import MnkRules, bind, compiled_set, windows
from engine.games.outcome import Outcome
from engine.games.rules import UNDECIDED


class Ending(StrEnum):
    """The ends of m,n,k-games on the board."""

    LINE = "line"
    """The winner has K pieces in a line."""
    BOARD_FULL = "board_full"
    """Draw: no field is empty, and nobody has a line."""


@dataclass(frozen=True, slots=True, repr=False)
class MnkPosition(Position):
    """A position of an m,n,k-game: N, M and K, and the state."""

    variant: board.Parameters
    state: rules.State

    @property
    def game(self) -> Game:
        """The family of m,n,k-games."""
        return MNK

    @property
    def stage(self) -> int:
        """Number of pieces: no piece ever leaves the board."""
        return self._size - popcount(self._rules().empty_of(self.state))

    @property
    def plies_ahead(self) -> int:
        """Number of empty fields: games between equals nearly fill the board."""
        return self._size - self.stage

    @property
    def mobility(self) -> tuple[int, int]:
        """Number of empty fields, for both sides."""
        empty = self._size - self.stage
        return empty, empty

    @property
    def outcome(self) -> Outcome | None:
        """The win of a side with a line, the draw of a full board, or None."""
        for side in (1 - self.state.side, self.state.side):
            for line in self._lines(side):
                ends = " to ".join(self._name(end) for end in (line & -line, 1 << (line.bit_length() - 1)))
                return Outcome(side, Ending.LINE, f"{board.SIDES[side]} has {self.variant.run} in a line, {ends}")
        if self._rules().empty_of(self.state):
            return None
        return Outcome(None, Ending.BOARD_FULL, f"the board is full, and nobody has {self.variant.run} in a line")

    def children(self) -> Iterator[Child]:
        """Yield every move, in row-major order of the fields."""
        rules, state = self._rules(), self.state
        empty = 0 if rules.verdict(state) != UNDECIDED else rules.empty_of(state)
        while empty:
            field = empty & -empty
            empty ^= field
            yield Child(self._name(field), MnkPosition(self.variant, rules.after(state, field)))

    def child(self, move: str) -> Child:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        field = board.field(self.variant, move)
        if self._rules().verdict(self.state) != UNDECIDED:
            raise BadMove("BAD_MOVE_GAME_IS_OVER", "the game is over: no further piece can be placed")
        if not self._rules().empty_of(self.state) & field:
            raise BadMove(
                "BAD_MOVE_FIELD_IS_TAKEN", f"{self._name(field)} has a piece already; a move goes to an empty field"
            )
        return self._child_at(field)

    def move_to(self, state: rules.State) -> Child:
        """Return the move that leads to a state; raises ValueError if there is none."""
        placed = (state.first | state.second) & self._rules().empty_of(self.state)
        if placed.bit_count() == 1 and self._rules().after(self.state, placed) == state and not self.is_over:
            return self._child_at(placed)
        raise ValueError("no move leads to that position")

    def text(self) -> str:
        """Return the text form: N M K player, then the rows."""
        return board.write(self.variant, self.state)

    def picture(self, last: Child | None = None) -> str:
        """Draw the board with the names of columns and rows."""
        return board.draw(self.variant, self.state, board.field(self.variant, last.move) if last else 0)

    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with all pieces."""
        layout = board.layout(self.variant.columns, self.variant.rows)
        decisive = {field for side in (0, 1) for line in self._lines(side) for field in each_field(line)}
        return Drawing(
            layout=layout,
            pieces=self._standing(layout),
            marked=last.move if last else None,
            decisive=tuple(map(self._name, sorted(decisive))),
        )

    def summary(self) -> str:
        """Return K, and the number of pieces of each side."""
        first, second = popcount(self.state.first), popcount(self.state.second)
        return f"{self.variant.run} in a line win; pieces: first {first}, second {second}"

    def _rules(self, *, compile: bool = False) -> MnkRules:
        return bind(self.variant, compile=compile)

    def _kernel_state(self, *, compile: bool) -> rules.State:
        first, second, side = self.state
        if not compile:
            return self.state
        return rules.State(compiled_set(first, self._size), compiled_set(second, self._size), side)

    def _child_at(self, field: int) -> Child:
        return Child(self._name(field), MnkPosition(self.variant, self._rules().after(self.state, field)))

    def _lines(self, side: int) -> list[int]:
        """Return the complete lines of a side, in the order of directions."""
        pieces = self._sets[side]
        return [line for line in self._windows[0] if line & pieces == line] if self._rules().has_line(pieces) else []

    @property
    def _sets(self) -> tuple[int, int]:
        return self.state.first, self.state.second

    @property
    def _windows(self) -> tuple[Sequence[int], int]:
        return windows(*self.variant), self.variant.run

    def _name(self, field: int) -> str:
        return board.name(self.variant, field)

    @property
    def _size(self) -> int:
        return self.variant.rows * self.variant.columns


MNK = Game(
    name="mnk",
    title="m,n,k",
    sides=board.SIDES,
    marks=board.MARKS,
    default_parameters="8 8 5",
    variant_of=board.parse,
    first_position=lambda variant: MnkPosition(variant, rules.State(0, 0, 0)),
    read=lambda text: MnkPosition(*board.read(text)),
)
"""The family of m,n,k-games."""
