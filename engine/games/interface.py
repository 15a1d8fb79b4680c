"""The interface of every game: `Rules` and `Kernel`, `Position` and `Game`, and the `History` and `Outcome` of a game.

A `Game` makes positions from parameters or from text. A `Position` is an immutable value. It has the legal moves, the
position after each move, and the outcome. Moves are text in the game's notation, as on the wire and in records. The
search works on a `Kernel` of plain integers, whose functions are the game's `Rules`.

The errors are `BadParameters`, `BadPosition` and `BadMove`. Each has a stable code, and a sentence that says what is
wrong and what is right.

The text form of a `History` is the start position, then a line ``moves:``, then a line for each move. Without moves it
is the text form of the position. In arrows, moves on the line ``moves:`` itself belong to the start position.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from msgspec import Struct

from engine.compiling.binding import Numbers, can_compile, zeros
from engine.games.boards.layout import Drawing, Layout, Piece, completing_fields, count_lines, each_field

SCRATCH = 64
"""Numbers after its results that `Rules.evaluate_children` may overwrite."""

UNDECIDED, LOST, DRAWN, WON = 0, 1, 2, 3
"""Verdicts on a position, for the side to move."""

MINE, THEIRS = 1, 2
"""Sides that can still win: the side to move, and the other side."""

EVALUATION_LIMIT = 1_000_000
"""Upper bound of evaluations. Larger values are proven wins, smaller ones than its negative are proven losses."""

WIN = EVALUATION_LIMIT + 1000
"""Value of a finished game that is won. A win in N plies has the value WIN - N, a loss in N plies N - WIN."""

State = Any
"""A position as integers: a NamedTuple of each game. Its type is Any, since search and solver are written once for all
games, and numba infers the types of each copy."""

Arena = Numbers
"""A sequence of positions of `Rules.WORDS` numbers each. Interpreted rules use a list of integers of any width,
compiled rules an int64 array."""

Index = Any
"""Tables for functions of `LayerRules`: a NamedTuple of each game."""

Generate = Callable[[State, Arena, int], int]
"""Writes positions into an arena from a place on, and returns the place after the last one. Raises OverflowError if the
arena is too small; it never writes outside."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules:
    """The rules of a game on one board, as functions over integers. All are compiled, or all are interpreted.

    A new game begins here. Its rules are plain functions in modules of their own, which read the constants of a board
    by global name. `engine.compiling.binding.bind_fields` makes `Rules` from them, or a subclass with more functions of
    the game. ``tests/games/stones.py`` is a whole game in one file. The tests in its folder check every game against
    this description.

    Search and solver read these functions by name. Functions with a default are optional, and make search and solver
    faster.
    """

    label: str
    """Identifies the rules of a board: letters, digits and underscores."""
    WORDS: int
    """Numbers of a position in an arena."""
    load: Callable[[Arena, int], State]
    """``load(arena, at)`` returns the position in a place of an arena."""
    store: Callable[[Arena, int, State, int], None]
    """``store(arena, at, state, value)`` writes a position and a number into a place. The number is for the game; other
    callers pass 0."""
    children: Generate
    """``children(state, arena, first)`` writes the positions after legal moves, each once and always in the same order.
    There are none if the game is over. Returns their end."""
    perft: Callable[[State, int, bool, Arena, int], int]
    """``perft(state, depth, unique, arena, first)`` counts the leaves of the tree of moves, for a depth of at least 1.
    With ``unique``, moves of a node to the same position count once. Raises OverflowError as `children` does."""
    verdict: Callable[[State], int]
    """One of `UNDECIDED`, `LOST`, `DRAWN`, `WON`, for the side to move."""
    evaluate: Callable[[State], int]
    """The value for the side to move, if the game is not over. An evaluation lies within +-`EVALUATION_LIMIT`. A
    certain win has the value `WIN` minus the plies in which it is reached at the latest, a certain loss the
    negative."""
    hash_of: Callable[[State], int]
    """A hash of everything that the rules depend on, 0 to 2**62 - 1. Compiled and interpreted hashes are equal."""

    evaluate_children: Callable[[State, int, Numbers], bool] | None = None
    """``evaluate_children(state, first, values)`` evaluates all children faster than one by one, and returns True.

    It writes a number for each child, in the order of `children` and from place ``first`` of ``values`` on. The number
    is twice the child's value for the side that moves to it, plus 1 if the value is exact. An exact value is 0 for a
    draw, or counts the exact plies to the end. Other values may be coarser than those of `evaluate`. The next `SCRATCH`
    numbers may be overwritten. Only for games that cannot repeat a position."""
    tactical_children: Generate | None = None
    """Writes tactical children, such as captures. Quiescence search tries them before it evaluates the position."""
    candidates: Generate | None = None
    """Writes children that include a best one, also by the length of the game. Promising ones come first."""
    can_still_win: Callable[[State], int] | None = None
    """Tells which sides may still win: `MINE`, `THEIRS`, their sum, or 0 for a certain draw. A side that it leaves out
    certainly cannot win."""
    least_plies: Callable[[State, bool], int] | None = None
    """``least_plies(state, winning)`` returns a lower bound of the plies in which the side to move wins (``winning``),
    or loses."""
    canonical: Callable[[State], State] | None = None
    """Returns the representative of all symmetric positions."""
    kind_of: Callable[[State, State], int] | None = None
    """``kind_of(state, child)`` returns a number of the move to a child, the same for this move in other positions."""
    plies_left: Callable[[State], int] | None = None
    """Returns an upper bound of the remaining plies. Only for games that cannot go on for ever."""
    MARGIN: int = 0
    """Largest usual change of the evaluation by a quiet move; the right to move is worth half of it. The search is
    selective only with a margin; 0 for none."""
    BREADTH: int = 0
    """Number of children that a selective search tries, in the order of their values, unless all lose; 0 for all."""
    HAS_LAYERS: bool = False
    """Whether these are `LayerRules`."""
    layers: Callable[[], "LayerRules"] | None = None
    """Returns the `LayerRules` of this board. Only for games with numbered positions."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerRules(Rules):
    """Rules of a game whose positions form layers. No move leads to a larger layer.

    A layer has two numbers, first that of the side to move. Each of its positions has a place in it. The retrograde
    analysis of `engine.solve.layer_values` uses them.
    """

    MOVE_NUMBERS: int
    """Numbers of a move in the list that `moves_from` writes."""
    WEIGHT: int
    """The weight of a move."""
    index: Index
    layer_of: Callable[[State], tuple[int, int]]
    """Returns the layer of a position."""
    places: Callable[[int, int, Index], int]
    """``places(mine, theirs, index)`` returns the number of places of a layer."""
    place_in_layer: Callable[[State, Index], int]
    """``place_in_layer(state, index)`` returns the place of a position."""
    number_at: Callable[[int, int, int, Index], int]
    """``number_at(place, near, theirs, index)`` returns the number of a place for the next two functions. ``near`` is
    the number of an earlier place of the layer, or 0."""
    moves_from: Callable[[int, int, int, int, Index, Arena, Numbers], tuple[int, int, int]]
    """``moves_from(place, near, mine, theirs, index, arena, found)`` returns the verdict on a place and two numbers of
    its moves: those that `origins_of` can take back, and the others. It lists the others in ``found``."""
    origins_of: Callable[[int, int, int, int, Index, Numbers], int]
    """``origins_of(place, near, mine, theirs, index, found)`` lists the places of layer (theirs, mine) from which such
    moves lead to a place, each with a weight. Returns their number."""


class Kernel(NamedTuple):
    """A position as integers, and the rules of its board, for search, perft and solver."""

    rules: Rules
    compiled: bool
    state: State

    def arena(self, places: int) -> Arena:
        """Return an arena of a number of places."""
        size = places * self.rules.WORDS
        return zeros("q", size) if self.compiled else [0] * size

    def evaluate(self) -> int:
        """Return the value for the side to move. If the game is over, it is +- `WIN`, or 0 for a draw."""
        ends = {LOST: -WIN, DRAWN: 0, WON: WIN}
        verdict = self.rules.verdict(self.state)
        return ends[verdict] if verdict in ends else int(self.rules.evaluate(self.state))


@dataclass(frozen=True)
class Patterns:
    """The patterns of a variant, for the training of tables that evaluate its positions."""

    count: int
    """Number of entries of all tables."""
    entries: Callable[[Sequence[State]], Any]
    """Returns an array with a row for each position: the numbers of its entries. All rows have the same length."""
    file: Callable[[Any, float], bytes]
    """``file(numbers, unit)`` returns the content of a file of tables. The numbers of an entry are its weight, in
    logits of ``unit``, and the factors of `engine.duel.training`. Raises ValueError if they are too large."""


class Termination(StrEnum):
    """The reasons for the end of any game, as in records and on the wire.

    Each game has a `StrEnum` of further reasons that follow from the board.
    """

    REPETITION = "repetition"
    """Draw: the same position stood on the board for the third time."""
    NO_PROGRESS = "no_progress"
    """Draw: there was no irreversible move for as many moves as the game allows."""
    MOVE_LIMIT = "move_limit"
    """Draw: the match reached its largest number of moves."""
    TIME = "time"
    """The loser's clock ran out."""
    BAD_MOVE = "bad_move"
    """The loser's move was illegal or could not be read."""
    RESIGN = "resign"
    """The loser resigned."""
    CRASHED = "crashed"
    """The loser's program reported a failure, or exited before the end of the game."""
    OUT_OF_MEMORY = "out_of_memory"
    """The loser's program exceeded its memory limit, and was killed."""
    TOO_MANY_PROCESSES = "too_many_processes"
    """The loser's program exceeded its limit of processes and threads, and was killed."""
    OUT_OF_CPU_TIME = "out_of_cpu_time"
    """The loser's program exceeded its limit of processor time for a game, and was killed."""
    FILE_TOO_LARGE = "file_too_large"
    """The loser's program exceeded its limit of file size, and was killed."""
    ADJUDICATED = "adjudicated"
    """A win or a draw: the solver has proven the value of the position."""
    ORGANISER = "organiser"
    """Annulled by the organiser."""
    SERVER_STOP = "server_stop"
    """Annulled: the server was stopped before the end of the game."""
    SERVER_FAULT = "server_fault"
    """Annulled: the server had an internal error."""


ANNULLED = frozenset({Termination.ORGANISER, Termination.SERVER_STOP, Termination.SERVER_FAULT})
"""Terminations without a result, not even a draw."""

ENDED_PROGRAM = frozenset(
    {
        Termination.CRASHED,
        Termination.OUT_OF_MEMORY,
        Termination.TOO_MANY_PROCESSES,
        Termination.OUT_OF_CPU_TIME,
        Termination.FILE_TOO_LARGE,
    }
)
"""Terminations of a program that the server started, and that ended before its game."""


class Outcome(NamedTuple):
    """The outcome of a game. The winner is 0 for the side that began, 1 for the other side, or None."""

    winner: int | None
    reason: StrEnum
    detail: str = ""
    """One sentence for people, with the rule, the move or the figures. May be empty."""

    def result(self, sides: tuple[str, str]) -> str:
        """Return the result as in records and on the wire: the name of a side, ``draw`` or ``annulled``."""
        if self.winner is not None:
            return sides[self.winner]
        return "annulled" if self.reason in ANNULLED else "draw"


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

        A piece of GIPF or morris is worth 100. Values beyond +- `EVALUATION_LIMIT` are proven wins and losses.
        A finished game has the value `WIN`, -`WIN` or 0.
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


REPETITIONS = 3
"""Occurrences of a position that make a draw."""


class History(Struct, frozen=True):
    """A game from its start position on. Immutable: `after` returns a longer one."""

    start: Position
    position: Position
    moves: tuple[str, ...] = ()
    keys: tuple[Hashable, ...] = ()
    """Keys of the earlier positions of the present stage, in order. Positions of other stages cannot be repeated."""

    @classmethod
    def begin(cls, position: Position) -> "History":
        """Return the history of a game that starts in a position."""
        return cls(position, position)

    def after(self, move: str) -> "History":
        """Return the history with one more move; raises `BadMove`."""
        text, position = self.position.child(move)
        before = self.position
        keys = (*self.keys, before.key) if position.stage == before.stage else ()
        return History(self.start, position, (*self.moves, text), keys)

    @property
    def plies(self) -> int:
        """Number of moves of both sides."""
        return len(self.moves)

    @property
    def quiet(self) -> int:
        """Number of moves since the present stage began."""
        return len(self.keys)

    def outcome(self, move_limit: int) -> Outcome | None:
        """Return the outcome of the game, or None. ``move_limit`` is in plies.

        The rules apply in this order: the board, repetition, no progress, move limit.
        """
        outcome = self.position.outcome
        if outcome is not None:
            return outcome
        if self.keys.count(self.position.key) + 1 >= REPETITIONS:
            return Outcome(None, Termination.REPETITION, "the position stands on the board for the third time")
        limit = self.position.game.quiet_limit
        if 0 < limit <= self.quiet:
            return Outcome(None, Termination.NO_PROGRESS, f"nothing was captured or placed for {limit} moves")
        if self.plies >= move_limit:
            return Outcome(None, Termination.MOVE_LIMIT, f"the match ends after {move_limit} moves")
        return None


MOVES = "moves:"
"""The line before the moves."""


def write_game(history: History) -> str:
    """Return the text form of a game, with a newline after each line."""
    return history.start.text() + "".join(f"{line}\n" for line in ([MOVES, *history.moves] if history.moves else []))


def read_game(game: Game, text: str) -> History:
    """Read the text form of a game; raises `BadPosition` with the wrong line, and for a bad move with its code."""
    lines = text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.strip() == MOVES), len(lines))
    history = History.begin(game.read("".join(f"{line}\n" for line in lines[:end])))
    for number, line in enumerate(lines[end + 1 :], end + 2):
        if line.strip():
            try:
                history = history.after(line)
            except BadMove as error:
                raise BadPosition(error.code, f"move {history.plies + 1}: {error}", number) from None
    return history


MOVE_LIMIT = 1000
"""Moves of both sides after which an interactive game is a draw, as usual on the server."""
