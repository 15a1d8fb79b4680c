"""The interface of every game: `Game` and `Position`.

A `Game` makes positions from parameters or from text. A `Position` is an immutable value. It has the legal moves, the
position after each move, and the outcome. Moves are text in the game's notation, as on the wire and in records. The
search works on a `Kernel` of plain integers, whose functions are the game's `Rules` (`engine.games.rules`).

The errors are `BadParameters`, `BadPosition` and `BadMove`. Each has a stable code, and a sentence that says what is
wrong and what is right.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from engine.compiling.binding import can_compile
from engine.games.boards.layout import Drawing, Layout, Piece, completing_fields, count_lines, each_field
from engine.games.outcome import Outcome
from engine.games.rules import Kernel, Patterns, Rules, State


class GameError(ValueError):
    """A text that a game cannot accept. ``code`` is stable; ``str(error)`` is a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        """Store the code and the sentence."""
        super().__init__(sentence)
        self.code = code


class BadParameters(GameError):
    """Parameters of no variant of the game."""


class BadPosition(GameError):
    """The text of a position that cannot be read, or is impossible. ``line`` counts from 1; 0 is the whole text."""

    def __init__(self, code: str, sentence: str, line: int = 0) -> None:
        """Store the line, the code and the sentence."""
        super().__init__(code, f"line {line}: {sentence}" if line else sentence)
        self.line = line


class BadMove(GameError):
    """A text that is no move of the game, or an illegal move."""


class Child(NamedTuple):
    """A legal move in canonical text, and the position after it."""

    move: str
    position: "Position"


Fields = frozenset[str]
"""Fields of a board by name, as in moves. In arrows a name is ``x,y``, counted from 1."""


_OTHER_NAMES = {
    **dict.fromkeys(
        ("push", "push_uci", "push_san", "make_move", "do_move", "apply", "move", "after", "step"), "play(move)"
    ),
    **dict.fromkeys(
        ("moves", "get_moves", "get_legal_moves", "generate_legal_moves", "possible_moves", "is_legal", "actions"),
        "legal_moves",
    ),
    **dict.fromkeys(
        ("is_game_over", "game_over", "is_terminal", "terminal", "over", "finished", "done", "is_checkmate"), "is_over"
    ),
    **dict.fromkeys(("winner", "result", "verdict"), "outcome: its winner and reason, or None"),
    **dict.fromkeys(("side_to_move", "current_player", "next_player", "to_move", "player", "side", "color"), "turn"),
    **dict.fromkeys(("fen", "to_string", "serialize"), "text()"),
    **dict.fromkeys(("piece_at", "piece_map", "get", "cells", "fields", "rows"), "board[field]"),
    **dict.fromkeys(("copy", "clone", "undo", "pop"), "the position itself: playing a move does not change it"),
    **dict.fromkeys(("last_move", "move_stack", "history", "ply"), "the attribute history of a subclass of Bot"),
    **dict.fromkeys(("score", "value"), "evaluate()"),
    **dict.fromkeys(("captures", "lost"), "captured"),
    "successors": "children()",
    "reserve": "reserves",
    "params": "parameters",
}
"""Names in other libraries, with the names in `Position`."""


class _Board(dict[str, int | None]):
    """Fields and the sides whose pieces stand there. A wrong name is answered with right ones."""

    def __missing__(self, name: object) -> NoReturn:
        some = ", ".join(list(self)[:3])
        raise KeyError(f"{name!r} is no field of this board; its {len(self)} fields are {some}, ...")


@dataclass(frozen=True, slots=True, repr=False)
class Position(ABC):
    """A position of a game: a variant and a state of its rules, with the side to move. Immutable.

    A pair has an item for each side, in the order of `Game.sides`: ``position.pieces[position.turn]`` are the pieces of
    the side to move. Each game has a subclass, which defines at least the abstract methods.
    """

    variant: Any
    """The parameters of the game as a value: `Game.variant_of`."""
    state: State

    @property
    @abstractmethod
    def game(self) -> "Game":
        """The game of the position."""

    @property
    def parameters(self) -> str:
        """The variant's parameters, in canonical text."""
        return str(self.variant)

    @property
    def turn(self) -> int:
        """The side to move: 0 for the side that began the game, 1 for the other side."""
        return int(self.state.side)

    @property
    def key(self) -> Hashable:
        """Everything that the rules depend on. Positions with equal keys are repetitions."""
        return self.state

    @property
    @abstractmethod
    def stage(self) -> int:
        """A number that irreversible moves change, such as captures. Positions of different stages are never equal."""

    @property
    @abstractmethod
    def plies_ahead(self) -> int:
        """The usual number of further moves of both sides, for time management."""

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields on which each side has a piece; in arrows, an arrow."""
        first, second = self._sets
        return self._names(first), self._names(second)

    @property
    def reserves(self) -> tuple[int, int]:
        """The pieces that each side has not yet placed: reserves of GIPF, hands of morris, else 0."""
        return 0, 0

    @property
    def captured(self) -> tuple[int, int]:
        """The pieces that each side has lost: in GIPF all that left the game, in morris those taken, else 0."""
        return 0, 0

    @property
    def lines(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For each side, the numbers of lines with 0, 1, 2 … of its pieces and no piece of the other side.

        The length of a line is the number of pieces for a capture or a win: K in GIPF and m,n,k, three in morris.
        Arrows has no lines.
        """
        first, second = self._sets
        return count_lines(*self._windows, first, second), count_lines(*self._windows, second, first)

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """For each side, the empty fields that complete a line: a row of GIPF and m,n,k, or a mill.

        In arrows, the field of the opponent's next arrow, if the next arrow of the side could point at it and win.
        """
        first, second = self._sets
        found = completing_fields(*self._windows, first, second), completing_fields(*self._windows, second, first)
        return self._names(found[0]), self._names(found[1])

    @property
    @abstractmethod
    def mobility(self) -> tuple[int, int]:
        """The moves of each side if it were its turn, without choices of captures.

        - GIPF: pushes
        - morris: steps, jumps or placements
        - m,n,k: empty fields
        - arrows: free fields at which the next arrow can point
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The winner and the reason if the game has ended on the board, else None."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended on the board."""
        return self.outcome is not None

    @property
    def legal_moves(self) -> list[str]:
        """Every legal move in canonical text, in the documented order. Empty if the game is over."""
        return [child.move for child in self.children()]

    def play(self, move: str) -> "Position":
        """Return the position after a move; raises `BadMove`."""
        return self.child(move).position

    @property
    def board(self) -> Mapping[str, int | None]:
        """The side of the piece on each field, by the names of fields: 0, 1, or None for an empty field."""
        first, second = self.pieces
        names = (name for name, *_ in self.drawing().layout.fields)
        return _Board((name, 0 if name in first else 1 if name in second else None) for name in names)

    @abstractmethod
    def children(self) -> Iterator[Child]:
        """Yield every legal move with the position after it, in the order of `legal_moves`.

        Different moves may lead to the same position.
        """

    @abstractmethod
    def child(self, move: str) -> Child:
        """Return the move in canonical text and the position after it; raises `BadMove`."""

    def move_to(self, state: State) -> Child:
        """Return the first move that leads to a state of an interpreted kernel; raises ValueError if there is none."""
        for child in self.children():
            if child.position.key == state:
                return child
        raise ValueError("no move leads to that position")

    def evaluate(self) -> int:
        """Return the static evaluation for the side to move.

        A piece of GIPF or morris is worth 100. Values beyond +- `engine.games.rules.EVALUATION_LIMIT` are proven wins
        and losses. A finished game has the value `WIN`, -`WIN` or 0 (`engine.games.rules`).
        """
        return self.kernel(compile=False).evaluate()

    @abstractmethod
    def text(self) -> str:
        """Return the text form of the position, with a newline after each line. `Game.read` reads it."""

    @abstractmethod
    def picture(self, last: Child | None = None) -> str:
        """Draw the position as text without colours, with the last move marked if it is given."""

    @abstractmethod
    def summary(self) -> str:
        """Return one short line on what the board does not show, such as reserves and captured pieces."""

    def marked_field(self, move: str) -> str | None:
        """Return the field to mark after the last move, given in canonical text. By default the move itself."""
        return move

    @abstractmethod
    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with its pieces, and with the last move marked if it is given."""

    def svg(self, last: Child | None = None, *, night: bool = False) -> str:
        """Draw the position as an SVG document, with the last move marked if it is given.

        ``night`` selects the colours of dark pages.
        """
        from engine.games.boards.svg import document

        return document(self.drawing(last), self.summary(), night=night)

    def png(self, last: Child | None = None, *, night: bool = False) -> bytes:
        """Draw the position as a PNG file, with the last move marked if it is given."""
        from engine.games.boards.png import paint

        return paint(self.svg(last, night=night), night=night)

    def _repr_svg_(self) -> str:
        """Draw the position in a notebook."""
        return self.svg()

    def kernel(self, *, compile: bool = True) -> Kernel:
        """Return the position as integers with its rules, compiled if ``compile`` and if numba compiles here."""
        compile = compile and can_compile()
        return Kernel(self._rules(compile=compile), compile, self._kernel_state(compile=compile))

    if not TYPE_CHECKING:  # type checkers report unknown names themselves

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError, with the right name for a name from another library."""
            meant = f"; use {_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
            raise AttributeError(f"a position has no attribute {name!r}{meant}", name=name, obj=self)

    def __repr__(self) -> str:
        """Return an expression with `engine.games.catalogue.GAMES` for the position."""
        return f"GAMES[{self.game.name!r}].read({self.text()!r})"

    def __str__(self) -> str:
        """Draw the board, with the summary below."""
        return self.picture() + self.summary()

    @abstractmethod
    def _rules(self, *, compile: bool = False) -> Rules:
        """Return the rules of the board."""

    def _kernel_state(self, *, compile: bool) -> State:
        """Return the state in the format of the kernel."""
        return self.state

    @property
    def _sets(self) -> tuple[int, int]:
        """The fields with pieces of each side, as bits. For games with lines, as the next three."""
        raise NotImplementedError

    @property
    def _windows(self) -> tuple[Sequence[int], int]:
        """All lines of the board as sets of fields, and their length."""
        raise NotImplementedError

    def _name(self, field: int) -> str:
        """Return the name of a field, given as its bit."""
        raise NotImplementedError

    def _names(self, fields: int) -> Fields:
        return frozenset(map(self._name, each_field(fields)))

    def _standing(self, layout: Layout) -> tuple[Piece, ...]:
        """Return all pieces in reading order."""
        sides = self.pieces
        return tuple(Piece(name, side) for name, *_ in layout.fields for side in (0, 1) if name in sides[side])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Game:
    """A game: its names, and the functions that make its positions."""

    name: str
    """The name on the wire, in records and on command lines: one lower-case word."""
    title: str
    """The name for people."""
    sides: tuple[str, str]
    """The names of the two sides, two lower-case words. The first side begins."""
    marks: tuple[str, str]
    """The characters of each side in pictures."""
    default_parameters: str
    """The parameters of the usual variant."""
    variant_of: Callable[[str], Any]
    """Reads parameters and returns a value; raises `BadParameters`. Spaces or commas separate numbers.

    ``str`` of the value is the canonical text. Its ``warning`` is a sentence on allowed but unusual parameters, or
    empty."""
    first_position: Callable[[Any], Position]
    """Returns the start position of a variant."""
    read: Callable[[str], Position]
    """Reads the text form of a position; raises `BadPosition`."""
    quiet_limit: int = 0
    """A match is a draw after so many moves without a new stage; 0 for no such rule."""
    reweigher: Callable[[str, Mapping[str, object]], Callable[[Kernel], Kernel]] | None = None
    """``reweigher(parameters, named)`` returns a function that replaces the weights of the evaluation in a kernel.
    Raises ValueError for unknown names, and for values that are not whole numbers. None for a game without weights."""
    patterns: Callable[[str], Patterns | None] = lambda _: None
    """``patterns(parameters)`` returns the patterns of a variant, or None if it has none."""

    def __repr__(self) -> str:
        """Return an expression with `engine.games.catalogue.GAMES` for the game."""
        return f"GAMES[{self.name!r}]"

    def parameters(self, text: str) -> str:
        """Return parameters in canonical text; raises `BadParameters`."""
        return str(self.variant_of(text))

    def warning(self, parameters: str) -> str:
        """Return a sentence on allowed but unusual parameters; empty for others."""
        return str(self.variant_of(parameters).warning)

    def start(self, parameters: str) -> Position:
        """Return the start position of a variant; raises `BadParameters`."""
        return self.first_position(self.variant_of(parameters))
