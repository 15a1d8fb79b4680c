"""m,n,k-games behind the one interface of `engine.games.interface`."""

from collections.abc import Hashable, Iterator
from enum import StrEnum
from typing import NamedTuple

from engine.compiling.binding import can_compile, popcount
from engine.games.interface import UNDECIDED, Game, IllegalMove, Kernel, Position, Successor
from engine.games.mnk import board, drawing, notation, parameters, rules
from engine.games.mnk.kernel import WORD_BITS, MnkRules, bind, signed
from engine.games.outcome import Outcome


class Ending(StrEnum):
    """How the board itself ends an m,n,k-game."""

    LINE = "line"
    """The winner has K pieces in a line."""
    BOARD_FULL = "board_full"
    """Draw: no field is empty, and nobody has a line."""


class MnkPosition(NamedTuple):
    """A position of an m,n,k-game: N, M and K, and the state."""

    variant: parameters.Parameters
    state: rules.State

    @property
    def game(self) -> Game:
        """The family of m,n,k-games."""
        return MNK

    @property
    def parameters(self) -> str:
        """N, M and K as text."""
        return str(self.variant)

    @property
    def turn(self) -> int:
        """Who moves: 0 the first player, 1 the second."""
        return self.state.side

    @property
    def key(self) -> Hashable:
        """Both sides' pieces and who moves."""
        return self.state

    @property
    def stage(self) -> int:
        """The number of pieces: each stays for good."""
        return self._size - popcount(self._rules().empty_of(self.state))

    @property
    def plies_ahead(self) -> int:
        """One for each empty field: games between equals fill the board, or nearly."""
        return self._size - self.stage

    def verdict(self) -> Outcome | None:
        """Return the win of a side that has a line, the draw of a full board, or None."""
        last = 1 - self.state.side
        for side in (last, self.state.side):
            line = self._line(side)
            if line is not None:
                sentence = f"{notation.SIDES[side]} has {self.variant.run} in a line, {line}"
                return Outcome(side, Ending.LINE, sentence)
        if self._rules().empty_of(self.state):
            return None
        return Outcome(None, Ending.BOARD_FULL, f"the board is full, and nobody has {self.variant.run} in a line")

    def successors(self) -> Iterator[Successor]:
        """Yield every move, fields in row-major order."""
        rules, state = self._rules(), self.state
        empty = 0 if rules.verdict(state) != UNDECIDED else rules.empty_of(state)
        while empty:
            field = empty & -empty
            empty ^= field
            yield Successor(notation.name(self.variant, field), MnkPosition(self.variant, rules.after(state, field)))

    def resolve(self, move: str) -> Successor:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        field = notation.field(self.variant, move)
        if self._rules().verdict(self.state) != UNDECIDED:
            raise IllegalMove("BAD_MOVE_GAME_IS_OVER", "the game is over: no further piece can be placed")
        if not self._rules().empty_of(self.state) & field:
            sentence = f"{notation.name(self.variant, field)} has a piece already; a move goes to an empty field"
            raise IllegalMove("BAD_MOVE_FIELD_IS_TAKEN", sentence)
        return self._successor(field)

    def text(self) -> str:
        """Return the position's text: N M K player, then the rows."""
        return board.write(self.variant, self.state)

    def picture(self, last: Successor | None = None) -> str:
        """Draw the board with the names of columns and rows."""
        marked = notation.field(self.variant, last.move) if last else 0
        return drawing.draw(self.variant, self.state, marked)

    def summary(self) -> str:
        """Say how long a line is, and how many pieces each side has."""
        first, second = popcount(self.state.first), popcount(self.state.second)
        return f"{self.variant.run} in a line win; pieces: first {first}, second {second}"

    def kernel(self, *, compile: bool = True) -> Kernel:
        """Return the rules as integers; compiled only for boards of up to 64 fields."""
        compile = compile and self._size <= WORD_BITS and can_compile()
        state = self.state
        if compile:
            first, second = signed(state.first, self._size), signed(state.second, self._size)
            state = rules.State(first, second, state.side)
        return Kernel(bind(self.variant, compile=compile), compile, state)

    def _successor(self, field: int) -> Successor:
        after = self._rules().after(self.state, field)
        return Successor(notation.name(self.variant, field), MnkPosition(self.variant, after))

    def _line(self, side: int) -> str | None:
        """Name the ends of the side's first line, or return None."""
        pieces = (self.state.first, self.state.second)[side]
        rules = self._rules()
        for step, starts in zip(rules.STEPS, rules.STARTS, strict=True):
            run = pieces
            for shift in rules.SHIFTS:
                run &= run >> (step * shift)
            run &= starts
            if run:
                begin = run & -run
                ends = (begin, begin << ((self.variant.run - 1) * step))
                return " to ".join(notation.name(self.variant, end) for end in ends)
        return None

    @property
    def _size(self) -> int:
        return self.variant.rows * self.variant.columns

    def _rules(self) -> MnkRules:
        return bind(self.variant)


class Mnk:
    """The family of m,n,k-games."""

    name = "mnk"
    sides = notation.SIDES
    marks = drawing.MARKS
    default_parameters = "8 8 5"
    quiet_limit = 0

    def parameters(self, text: str) -> str:
        """Return N, M and K in canonical text; raises `engine.games.interface.BadParameters`."""
        return str(parameters.parse(text))

    def warning(self, parameters_text: str) -> str:
        """Return what is odd about N, M and K: nobody can win, or the first piece does."""
        return parameters.parse(parameters_text).warning

    def start(self, parameters_text: str) -> Position:
        """Return the empty board; raises `engine.games.interface.BadParameters`."""
        return MnkPosition(parameters.parse(parameters_text), rules.State(0, 0, 0))

    def read(self, text: str) -> Position:
        """Read a position; raises `engine.games.interface.BadPosition`."""
        return MnkPosition(*board.read(text))


MNK: Game = Mnk()
