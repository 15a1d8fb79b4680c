"""What every game offers to the rooms above: the one interface.

A `Game` makes positions, from parameters or from text. A `Position` is a frozen value that knows its legal
moves, the position after a move, and whether the game is over. Moves are text in the game's own notation, as
it stands on the wire, in records and in front of people; the search works on a `Kernel` of plain integers.

Errors, each with a stable code and a sentence that says what was wrong and what would be right:

    GameError
    |- BadParameters        the parameters name no variant of the game
    |- BadPosition          a position text cannot be read or is impossible
    `- BadMove
       |- UnreadableMove    the text is no move of this game at all
       `- IllegalMove       the text is a move, but not one that may be played here
"""

from collections.abc import Hashable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

from engine.games.outcome import Outcome


class GameError(ValueError):
    """A text that a game cannot accept. ``code`` is stable; ``str(error)`` is a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        """Keep the code beside the sentence."""
        super().__init__(sentence)
        self.code = code


class BadParameters(GameError):
    """Parameters that name no variant of the game."""


class BadPosition(GameError):
    """A position text that cannot be read, or is impossible. ``line`` counts from 1; 0 means the whole text."""

    def __init__(self, code: str, sentence: str, line: int = 0) -> None:
        """Keep the line beside code and sentence."""
        super().__init__(code, f"line {line}: {sentence}" if line else sentence)
        self.line = line


class BadMove(GameError):
    """A move that cannot be played."""


class UnreadableMove(BadMove):
    """A text that is no move of this game."""


class IllegalMove(BadMove):
    """A move that may not be played in this position."""


class Successor(NamedTuple):
    """A legal move, in canonical text, and the position it leads to."""

    move: str
    position: "Position"


class Kernel(NamedTuple):
    """What search, perft and solving work on: a game's rules over integers, bound to one board.

    ``rules`` holds functions over a state (a NamedTuple of integers) and an arena (a flat array of
    ``rules.WORDS`` numbers a state), all of them compiled or all of them interpreted:

    - ``load(arena, at) -> state``, ``store(arena, at, state, 0)``
    - ``children(state, arena, first) -> end``: writes the distinct positions that legal moves lead to; raises
      OverflowError where the arena has no room for them, as ``perft`` does: nothing is ever written outside
    - ``perft(state, depth, unique, arena, first) -> leaves``, for depths of 1 and more
    - ``verdict(state) -> int``: one of `UNDECIDED`, `LOST`, `DRAWN`, `WON`, for the side to move
    - ``evaluate(state) -> int``: a guess of the value for the side to move, within +-`EVALUATION_LIMIT`
    - ``hash_of(state) -> int``: 0 to 2**62 - 1

    What a game can tell beside makes searching and solving faster; each of these may be missing:

    - ``tactical_children(state, arena, first) -> end``: those of the children that change so much, as captures do, that
      a position is not to be judged before them
    - ``candidates(state, arena, first) -> end``: children among which one is as good as the best, also in the length of
      the game, promising ones first
    - ``can_still_win(state) -> int``: who may still win, by a test that errs only on the side of hope: `MINE`,
      `THEIRS`, their sum, or 0 where the game is a draw whatever is played
    - ``least_plies(state, winning) -> int``: the side to move does not win (``winning``), or does not lose, in fewer
      plies
    - ``canonical(state) -> state``: the one of all symmetric positions that stands for them
    - ``layers() -> rules``: the rules with what `engine.solve.layered.values` needs beside, for a game of which the
      positions can be numbered
    - ``MARGIN``: by how much a quiet move usually changes the evaluation, at the most, half of which makes up for the
      right to move. The search is selective where it is told that
    - ``kind_of(state, child) -> int``: a number that children share which come about by the same move elsewhere
    - ``plies_left(state) -> int``: no more moves than these are made to the end of the game; only a game that cannot
      go on for ever has it
    """

    rules: SimpleNamespace
    compiled: bool
    state: Any

    def arena(self, places: int) -> Any:
        """Make an arena of that many places."""
        size = places * self.rules.WORDS
        if not self.compiled:
            return [0] * size
        import numpy

        return numpy.zeros(size, dtype=numpy.int64)


UNDECIDED, LOST, DRAWN, WON = 0, 1, 2, 3
"""Verdicts of a kernel on a position, from the view of the side to move."""

MINE, THEIRS = 1, 2
"""Hopes of a kernel's position: of the side to move, and of the other one."""

EVALUATION_LIMIT = 1_000_000
"""No evaluation of a kernel is as large as this; scores beyond it are proven wins and losses."""


class Position(Protocol):
    """A position of a game, with whose turn it is. Immutable; equal positions have equal keys."""

    @property
    def game(self) -> "Game":
        """The game that this is a position of."""

    @property
    def parameters(self) -> str:
        """The variant's parameters, in canonical text."""

    @property
    def turn(self) -> int:
        """Who moves: 0 the side that began the game, 1 the other."""

    @property
    def key(self) -> Hashable:
        """What must be equal for two positions to count as repeated: all that the rules look at."""

    @property
    def stage(self) -> int:
        """A number that a move changes, or not: positions of different stages are never equal.

        A capture makes another stage; so does what is placed on the board for good.
        """

    @property
    def plies_ahead(self) -> int:
        """How many more moves, both sides' counted, a game usually takes from here: for sharing out time."""

    def verdict(self) -> Outcome | None:
        """Return how the game has ended on the board, or None while it goes on."""

    def successors(self) -> Iterator[Successor]:
        """Yield every legal move with its position, in the game's documented order; none when it is over.

        A move is named once; different moves may lead to the same position.
        """

    def resolve(self, move: str) -> Successor:
        """Return the move in canonical text and the position after it; raises `BadMove`."""

    def text(self) -> str:
        """Return the position in the game's text form, lines ended by newlines; `Game.read` reads it back."""

    def picture(self, last: Successor | None = None) -> str:
        """Draw the position for people, without colours, with the move that led here marked where it is given."""

    def summary(self) -> str:
        """Say in one short line what the board does not show (pieces in reserve, captured ones)."""

    def kernel(self, *, compile: bool = True) -> Kernel:
        """Return the rules and this position as integers; interpreted where the board does not compile."""


class Game(Protocol):
    """A game: its names and the ways to make positions of it."""

    @property
    def name(self) -> str:
        """The name on the wire, in records and on command lines: one lower-case word."""

    @property
    def sides(self) -> tuple[str, str]:
        """What the two sides are called, the one that begins first: two lower-case words."""

    @property
    def marks(self) -> tuple[str, str]:
        """The characters by which pictures tell what belongs to each side, that of the side that begins first."""

    @property
    def default_parameters(self) -> str:
        """The parameters of the game as it is usually played."""

    @property
    def quiet_limit(self) -> int:
        """After so many moves in a row without a new stage a match is a draw; 0 for no such rule."""

    def parameters(self, text: str) -> str:
        """Return parameters in canonical text; raises `BadParameters`. Numbers may be separated by spaces or commas."""

    def warning(self, parameters: str) -> str:
        """Return a sentence on parameters that are allowed but odd; empty for others."""

    def start(self, parameters: str) -> Position:
        """Return the position in which a game of that variant begins; raises `BadParameters`."""

    def read(self, text: str) -> Position:
        """Read a position in the game's text form; raises `BadPosition`."""


def moves(position: Position) -> list[str]:
    """Return every legal move in canonical text, in the game's documented order."""
    return [successor.move for successor in position.successors()]


def play(position: Position, move: str) -> Position:
    """Return the position after a move; raises `BadMove`."""
    return position.resolve(move).position


def move_to(position: Position, state: Any) -> str:
    """Return the first move that leads to a state of an interpreted kernel; raises ValueError where none does."""
    for successor in position.successors():
        if successor.position.kernel(compile=False).state == state:
            return successor.move
    raise ValueError("no move leads to that position")
