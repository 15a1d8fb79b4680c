"""What games have in common whose positions are a variant and a state: the most of `engine.games.interface`."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.compiling.binding import can_compile
from engine.games.boards.layout import Counts, Drawing, Layout, Piece, completing_fields, count_lines, each_field
from engine.games.interface import Fields, Kernel, Position, Rules, State, Successor, Variant

V = TypeVar("V", bound=Variant)
S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True, repr=False)
class BoardPosition(Position, Generic[V, S]):
    """A position that is known by a variant and a state of its rules."""

    variant: V
    state: S

    @property
    def parameters(self) -> str:
        """The variant as text."""
        return str(self.variant)

    @property
    def key(self) -> Hashable:
        """The state, which is all that the rules look at."""
        return self.state

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields on which each side has a piece."""
        first, second = self._sets
        return self._names(first), self._names(second)

    @property
    def lines(self) -> tuple[Counts, Counts]:
        """How many lines hold 0, 1, 2 … pieces of each side, and none of the other."""
        first, second = self._sets
        lines, length = self._windows
        return count_lines(lines, length, first, second), count_lines(lines, length, second, first)

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """The empty fields on which each side lacks a piece to fill a line."""
        first, second = self._sets
        lines, length = self._windows
        return (
            self._names(completing_fields(lines, length, first, second)),
            self._names(completing_fields(lines, length, second, first)),
        )

    @property
    def reserves(self) -> tuple[int, int]:
        """How many pieces each side has left to bring onto the board: none are counted."""
        return 0, 0

    @property
    def captured(self) -> tuple[int, int]:
        """How many pieces each side has lost: none ever is."""
        return 0, 0

    def evaluate(self) -> int:
        """Return the value for the side to move, as the search guesses it without looking ahead."""
        return self.kernel(compile=False).evaluate()

    def __repr__(self) -> str:
        """Return an expression with `engine.games.catalogue.GAMES` that makes the position again."""
        return f"GAMES[{self.game.name!r}].read({self.text()!r})"

    def __str__(self) -> str:
        """Draw the board, and say below it what it does not show."""
        return self.picture() + self.summary()

    def kernel(self, *, compile: bool = True) -> Kernel:
        """Return the rules as integers; compiled where that is asked for and anything is compiled at all."""
        compile = compile and can_compile()
        return Kernel(self._rules(compile=compile), compile, self._kernel_state(compile=compile))

    def drawing(self, last: Successor | None = None) -> Drawing:
        """Return the board with what stands on it, and the field of the move that led here where it is given."""
        raise NotImplementedError

    def svg(self, last: Successor | None = None, *, night: bool = False) -> str:
        """Draw the position as an SVG document, with the move that led here marked where it is given.

        ``night`` is for dark pages.
        """
        from engine.games.boards.svg import draw

        return draw(self.drawing(last), self.summary(), night=night)

    def png(self, last: Successor | None = None, *, night: bool = False, scale: int = 1) -> bytes:
        """Draw the position as a PNG file, with the move that led here marked where it is given.

        ``scale`` is one of `engine.games.boards.pictures.SCALES`; raises ValueError for another one.
        """
        from engine.games.boards.pictures import paint
        from engine.games.boards.shapes import picture

        return paint(picture(self.drawing(last), self.summary()), night=night, scale=scale)

    def _repr_svg_(self) -> str:
        """Draw the position where a notebook shows it."""
        return self.svg()

    def move_to(self, state: State) -> Successor:
        """Return the first move that leads to a state of an interpreted kernel; raises ValueError where none does."""
        for successor in self.successors():
            if successor.position.key == state:
                return successor
        raise ValueError("no move leads to that position")

    def _rules(self, *, compile: bool = False) -> Rules:
        """Return the rules of the board."""
        raise NotImplementedError

    @property
    def _sets(self) -> tuple[int, int]:
        """The fields of both sides' pieces, a bit a field; for games with lines, as the next two."""
        raise NotImplementedError

    @property
    def _windows(self) -> tuple[Sequence[int], int]:
        """All lines of the board as sets of fields, and how many fields each has."""
        raise NotImplementedError

    def _name(self, field: int) -> str:
        """Name a field, given as its bit."""
        raise NotImplementedError

    def _names(self, fields: int) -> Fields:
        return frozenset(map(self._name, each_field(fields)))

    def _standing(self, layout: Layout) -> tuple[Piece, ...]:
        """Return all pieces in the order in which somebody reads the board."""
        sides = self.pieces
        return tuple(Piece(name, side) for name, *_ in layout.fields for side in (0, 1) if name in sides[side])

    def _kernel_state(self, *, compile: bool) -> S:
        """Return the state as the kernel wants it."""
        return self.state
