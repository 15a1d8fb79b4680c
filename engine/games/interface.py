"""What every game offers to the rooms above: the one interface.

A `Game` makes positions, from parameters or from text. A `Position` is a frozen value that knows its legal
moves, the position after a move, and whether the game is over. Moves are text in the game's own notation, as
it stands on the wire, in records and in front of people; the search works on a `Kernel` of plain integers, whose
functions are the game's `Rules`.

Errors, each with a stable code and a sentence that says what was wrong and what would be right:

    GameError
    |- BadParameters        the parameters name no variant of the game
    |- BadPosition          a position text cannot be read or is impossible
    `- BadMove              a text is no move of this game, or none that may be played here
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from engine.compiling.binding import Numbers, can_compile, zeros
from engine.games.boards.layout import Drawing, Layout, Piece, completing_fields, count_lines, each_field
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


class Child(NamedTuple):
    """A legal move, in canonical text, and the position it leads to."""

    move: str
    position: "Position"


SCRATCH = 64
"""Numbers behind those that it writes, which `Rules.evaluate_children` may use."""

UNDECIDED, LOST, DRAWN, WON = 0, 1, 2, 3
"""Verdicts of a kernel on a position, from the view of the side to move."""

MINE, THEIRS = 1, 2
"""Who can still win, in a kernel's position: the side to move, and the other one."""

EVALUATION_LIMIT = 1_000_000
"""No guess of a kernel is as large as this; values beyond it are proven wins and losses."""

WIN = EVALUATION_LIMIT + 1000
"""The value of a win on the spot. Later wins are worth less by their number of plies, losses the negative of that."""

State = Any
"""A position as integers: a NamedTuple, another one in each game. Any, since search and solving are written once for
all of them, and numba types each copy of a function by what it is called with."""

Arena = Numbers
"""Positions one behind the other, `Rules.WORDS` numbers each: a list of integers of any width where rules are
interpreted, an int64 array where they are compiled."""

Index = Any
"""Tables that functions of `LayerRules` are called with: a NamedTuple, another one in each game, as `State` is."""

Generate = Callable[[State, Arena, int], int]
"""Writes positions into an arena from a place on, and returns the place behind the last one. Raises OverflowError where
the arena has no room for them: nothing is ever written outside."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules:
    """A game's rules as functions over integers, bound to one board: all of them compiled, or all of them interpreted.

    This is where a new game begins. Its functions stand in modules of their own, as plain functions that read the
    constants of a board by global name, and `engine.compiling.binding.bind_fields` makes `Rules` of them, or of a
    subclass with whatever else the game itself asks for. `Kernel` is a position with its rules. A whole game in one
    file is ``tests/games/stones.py``; the tests beside it hold every game to what is promised here.

    Search and solving read these functions by their names. What has a default may be missing; it makes searching and
    solving faster.
    """

    label: str
    """What tells these rules from those of other boards and games; letters, digits and underscores."""
    WORDS: int
    """How many numbers a position takes in an arena."""
    load: Callable[[Arena, int], State]
    """``load(arena, at)`` returns the position in a place of an arena."""
    store: Callable[[Arena, int, State, int], None]
    """``store(arena, at, state, value)`` writes a position into a place, and a number of the game's own; callers pass
    0."""
    children: Generate
    """``children(state, arena, first)`` writes the distinct positions that legal moves lead to, none when the game is
    over, always in the same order; returns their end."""
    perft: Callable[[State, int, bool, Arena, int], int]
    """``perft(state, depth, unique, arena, first)`` counts the leaves of the tree of moves, for depths of 1 and more;
    with ``unique``, moves of a node that lead to the same position count once. Raises OverflowError as `children`
    does."""
    verdict: Callable[[State], int]
    """One of `UNDECIDED`, `LOST`, `DRAWN`, `WON`, for the side to move."""
    evaluate: Callable[[State], int]
    """The value for the side to move: a guess within +-`EVALUATION_LIMIT`, or `WIN` less the plies within which it wins
    for certain, or the negative of that where it loses. Asked of positions in which the game is not over."""
    hash_of: Callable[[State], int]
    """A hash of all that the rules look at, 0 to 2**62 - 1; the same compiled and interpreted."""

    evaluate_children: Callable[[State, int, Numbers], bool] | None = None
    """``evaluate_children(state, first, values)`` writes, in the order of `children` and from a place of ``values`` on,
    twice what each of them is worth to the side that moves to it, plus 1 where that is its true value: then as of
    `evaluate`, but in exactly so many plies, or 0 for a draw. A guess may be coarser than that of `evaluate`. Returns
    True. Up to `SCRATCH` numbers behind are overwritten. For a game that evaluates all children of a position faster
    than one by one, and cannot go on for ever."""
    tactical_children: Generate | None = None
    """Those of the children that change so much, as captures do, that a position is not to be judged before them."""
    candidates: Generate | None = None
    """Children among which one is as good as the best, also in the length of the game, promising ones first."""
    can_still_win: Callable[[State], int] | None = None
    """Who may still win, by a test that errs only on the side of hope: `MINE`, `THEIRS`, their sum, or 0 where the game
    is a draw whatever is played."""
    least_plies: Callable[[State, bool], int] | None = None
    """``least_plies(state, winning)``: the side to move does not win (``winning``), or not lose, in fewer plies."""
    canonical: Callable[[State], State] | None = None
    """The one of all symmetric positions that stands for them."""
    kind_of: Callable[[State, State], int] | None = None
    """``kind_of(state, child)``: a number that children share which come about by the same move elsewhere."""
    plies_left: Callable[[State], int] | None = None
    """No more moves than these are made to the end of the game; only a game that cannot go on for ever has it."""
    MARGIN: int = 0
    """By how much a quiet move usually changes the evaluation, at the most, half of which makes up for the right to
    move. The search is selective where it is told that; 0 where nothing is to be built on it."""
    BREADTH: int = 0
    """How many children, those of the greatest values, the search looks at where it is selective, unless it proves a
    loss; 0 for all."""
    HAS_LAYERS: bool = False
    """Whether these are `LayerRules`."""
    layers: Callable[[], "LayerRules"] | None = None
    """Returns these rules with what solving layer by layer needs beside, for a game of which the positions can be
    numbered."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LayerRules(Rules):
    """Rules of a game whose positions fall into layers that a move leaves only for smaller ones.

    A layer has a name of two numbers, as the side to move sees it, and each of its positions a place in it;
    `engine.solve.layer_values` says what is made of that.
    """

    LISTED: int
    """Numbers of a move in the list that `moves_from` writes."""
    WEIGHT: int
    """The weight of a move."""
    index: Index
    layer_of: Callable[[State], tuple[int, int]]
    """The name of the layer that a position lies in."""
    places: Callable[[int, int, Index], int]
    """``places(mine, theirs, index)``: the number of places of a layer."""
    place_in_layer: Callable[[State, Index], int]
    """``place_in_layer(state, index)``: the place of a position."""
    number_at: Callable[[int, int, int, Index], int]
    """``number_at(place, near, theirs, index)``: what the next two want to know of a place of a layer (…, theirs),
    ``near`` being that of an earlier one of it, or 0."""
    moves_from: Callable[[int, int, int, int, Index, Arena, Numbers], tuple[int, int, int]]
    """``moves_from(place, near, mine, theirs, index, arena, found)``: the verdict on what stands in a place, how many
    of its moves `origins_of` can take back, and how many others are listed in ``found``."""
    origins_of: Callable[[int, int, int, int, Index, Numbers], int]
    """``origins_of(place, near, mine, theirs, index, found)`` lists the places of layer (theirs, mine) from which such
    moves lead here, each with a weight, and returns how many there are."""


class Kernel(NamedTuple):
    """What search, perft and solving work on: a position as integers, and the rules of its board."""

    rules: Rules
    compiled: bool
    state: State

    def arena(self, places: int) -> Arena:
        """Make an arena of that many places."""
        size = places * self.rules.WORDS
        return zeros("q", size) if self.compiled else [0] * size

    def evaluate(self) -> int:
        """Return the value for the side to move, also where the game is over: +- `WIN`, or 0 for a draw."""
        ends = {LOST: -WIN, DRAWN: 0, WON: WIN}
        verdict = self.rules.verdict(self.state)
        return ends[verdict] if verdict in ends else int(self.rules.evaluate(self.state))


@dataclass(frozen=True)
class Patterns:
    """What training has to know of patterns whose tables evaluate the positions of a variant."""

    count: int
    """How many entries all tables have."""
    entries: Callable[[Sequence[State]], Any]
    """Returns the numbers of the entries that positions have, a row of an array a position, each of the same length."""
    file: Callable[[Any, float], bytes]
    """``file(numbers, unit)`` returns the content of a file of tables. Of each entry it takes the weight, in logits of
    ``unit``, and the factors of `engine.duel.training`; raises ValueError where they are too large."""


Fields = frozenset[str]
"""Fields of a board by their names: those that moves have, and in arrows ``x,y``, both counted from 1."""


_OTHER_NAMES = {
    **dict.fromkeys(("push", "make_move", "do_move", "apply", "move", "after", "step"), "play(move)"),
    **dict.fromkeys(("moves", "get_moves", "generate_legal_moves", "possible_moves", "actions"), "legal_moves"),
    **dict.fromkeys(("is_game_over", "game_over", "is_terminal", "finished", "done"), "is_over"),
    **dict.fromkeys(("winner", "result", "verdict"), "outcome: its winner and reason, or None"),
    **dict.fromkeys(("side_to_move", "current_player", "to_move", "player", "side"), "turn"),
    "successors": "children()",
    **dict.fromkeys(("fen", "to_string", "serialize"), "text()"),
    **dict.fromkeys(("piece_at", "get", "cells", "fields"), "board[field]"),
    **dict.fromkeys(("copy", "clone", "undo", "pop"), "the position itself: playing a move does not change it"),
}
"""What a position calls the things for which other libraries have these names."""


@dataclass(frozen=True, slots=True, repr=False)
class Position(ABC):
    """A position of a game, with whose turn it is: a variant and a state of its rules. Immutable.

    Pairs are of both sides, that of the side that began the game first: ``position.pieces[position.turn]`` are those of
    the side to move. Each game has a subclass, which defines at least the abstract methods.
    """

    variant: Any
    """The `Variant`."""
    state: State

    @property
    @abstractmethod
    def game(self) -> "Game":
        """The game that this is a position of."""

    @property
    def parameters(self) -> str:
        """The variant's parameters, in canonical text."""
        return str(self.variant)

    @property
    def turn(self) -> int:
        """Who moves: 0 the side that began the game, 1 the other."""
        return int(self.state.side)

    @property
    def key(self) -> Hashable:
        """What must be equal for two positions to count as repeated: all that the rules look at."""
        return self.state

    @property
    @abstractmethod
    def stage(self) -> int:
        """A number that a move changes, or not: positions of different stages are never equal.

        A capture makes another stage; so does what is placed on the board for good.
        """

    @property
    @abstractmethod
    def plies_ahead(self) -> int:
        """How many more moves, both sides' counted, a game usually takes from here: for sharing out time."""

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields on which each side has a piece; in arrows, an arrow."""
        first, second = self._sets
        return self._names(first), self._names(second)

    @property
    def reserves(self) -> tuple[int, int]:
        """How many pieces each side has left to bring onto the board: reserves of GIPF, hands of morris, else 0."""
        return 0, 0

    @property
    def captured(self) -> tuple[int, int]:
        """How many pieces each side has lost: in GIPF all that have left the game, in morris those taken, else 0."""
        return 0, 0

    @property
    def lines(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """How many lines hold 0, 1, 2 … pieces of each side, and none of the other.

        A line has as many fields as it takes to capture or to win: K neighbouring ones in GIPF and m,n,k, three of
        morris. In arrows, which knows no lines, nothing is counted.
        """
        first, second = self._sets
        return count_lines(*self._windows, first, second), count_lines(*self._windows, second, first)

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """The empty fields on which each side lacks a piece to fill a line: a row of GIPF and m,n,k, a mill.

        In arrows, the field of the opponent's next arrow where the own next arrow could point at it, and win.
        """
        first, second = self._sets
        found = completing_fields(*self._windows, first, second), completing_fields(*self._windows, second, first)
        return self._names(found[0]), self._names(found[1])

    @property
    @abstractmethod
    def mobility(self) -> tuple[int, int]:
        """How many ways to move each side would have on its turn: pushes of GIPF; steps, jumps and placings of morris.

        What a move captures is not counted as another way. In m,n,k these are the empty fields; in arrows the free
        fields that the next arrow can point at.
        """

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The winner and the reason, if the game has ended on the board; None while it goes on."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended on the board."""
        return self.outcome is not None

    @property
    def legal_moves(self) -> list[str]:
        """Every legal move in canonical text, in the game's documented order; none when the game is over."""
        return [child.move for child in self.children()]

    def play(self, move: str) -> "Position":
        """Return the position after a move; raises `BadMove` with a sentence for an illegal one."""
        return self.child(move).position

    @property
    def board(self) -> Mapping[str, int | None]:
        """The side whose piece stands on each field, 0 or 1, and None for an empty field, by the fields' names."""
        first, second = self.pieces
        names = (name for name, *_ in self.drawing().layout.fields)
        return {name: 0 if name in first else 1 if name in second else None for name in names}

    @abstractmethod
    def children(self) -> Iterator[Child]:
        """Yield every legal move with the position after it, in the order of `legal_moves`.

        A move is named once; different moves may lead to the same position.
        """

    @abstractmethod
    def child(self, move: str) -> Child:
        """Return the move in canonical text and the position after it; raises `BadMove`."""

    def move_to(self, state: State) -> Child:
        """Return the first move that leads to a state of an interpreted kernel; raises ValueError where none does."""
        for child in self.children():
            if child.position.key == state:
                return child
        raise ValueError("no move leads to that position")

    def evaluate(self) -> int:
        """Return the value for the side to move, as the search guesses it without looking ahead.

        A piece of GIPF or morris is worth 100. Beyond +- `EVALUATION_LIMIT` a win or a loss is proven; `WIN`, its
        negative and 0 are those of a game that is over.
        """
        return self.kernel(compile=False).evaluate()

    @abstractmethod
    def text(self) -> str:
        """Return the position in the game's text form, lines ended by newlines; `Game.read` reads it back."""

    @abstractmethod
    def picture(self, last: Child | None = None) -> str:
        """Draw the position for people, without colours, with the move that led here marked where it is given."""

    @abstractmethod
    def summary(self) -> str:
        """Say in one short line what the board does not show (pieces in reserve, captured ones)."""

    def marked_field(self, move: str) -> str | None:
        """Return the field to mark after the move that led here, in canonical text: by default the move itself."""
        return move

    @abstractmethod
    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with what stands on it, and the field of the move that led here where it is given."""

    def svg(self, last: Child | None = None, *, night: bool = False) -> str:
        """Draw the position as an SVG document, with the move that led here marked where it is given.

        ``night`` is for dark pages.
        """
        from engine.games.boards.svg import document

        return document(self.drawing(last), self.summary(), night=night)

    def png(self, last: Child | None = None, *, night: bool = False) -> bytes:
        """Draw the position as a PNG file, with the move that led here marked where it is given."""
        from engine.games.boards.png import paint

        return paint(self.svg(last, night=night), night=night)

    def _repr_svg_(self) -> str:
        """Draw the position where a notebook shows it."""
        return self.svg()

    def kernel(self, *, compile: bool = True) -> Kernel:
        """Return the rules and this position as integers; interpreted where the board does not compile."""
        compile = compile and can_compile()
        return Kernel(self._rules(compile=compile), compile, self._kernel_state(compile=compile))

    if not TYPE_CHECKING:  # checkers of types report unknown names themselves

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse a name that positions do not have; say which one is meant if other libraries use it."""
            meant = f"; use {_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
            raise AttributeError(f"a position has no attribute {name!r}{meant}", name=name, obj=self)

    def __repr__(self) -> str:
        """Return an expression with `engine.games.catalogue.GAMES` that makes the position again."""
        return f"GAMES[{self.game.name!r}].read({self.text()!r})"

    def __str__(self) -> str:
        """Draw the board, and say below it what it does not show."""
        return self.picture() + self.summary()

    @abstractmethod
    def _rules(self, *, compile: bool = False) -> Rules:
        """Return the rules of the board."""

    def _kernel_state(self, *, compile: bool) -> State:
        """Return the state as the kernel wants it."""
        return self.state

    @property
    def _sets(self) -> tuple[int, int]:
        """The fields of both sides' pieces, a bit a field; for games with lines, as the next three."""
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


class Variant(Protocol):
    """The parameters of a game as a value; ``str`` writes them in canonical text."""

    @property
    def warning(self) -> str:
        """Say what is odd about these parameters; empty for others."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Game:
    """A game: its names, and what makes positions of it."""

    name: str
    """The name on the wire, in records and on command lines: one lower-case word."""
    title: str
    """The name for people."""
    sides: tuple[str, str]
    """The names of the two sides, the one that begins first: two lower-case words."""
    marks: tuple[str, str]
    """The characters by which pictures tell what belongs to each side, that of the side that begins first."""
    default_parameters: str
    """The parameters of the game as it is usually played."""
    variant_of: Callable[[str], Any]
    """Reads parameters, and returns a `Variant`; raises `BadParameters`. Spaces or commas separate numbers."""
    first_position: Callable[[Any], Position]
    """Returns the position in which a game of a variant begins."""
    read: Callable[[str], Position]
    """Reads a position in the game's text form; raises `BadPosition`."""
    quiet_limit: int = 0
    """After so many moves in a row without a new stage a match is a draw; 0 for no such rule."""
    reweigher: Callable[[str, Mapping[str, object]], Callable[[Kernel], Kernel]] | None = None
    """``reweigher(parameters, named)`` returns a function that gives the kernels of a variant other weights of the
    evaluation. It raises ValueError for other names than those of weights, and for values that are no whole numbers.
    None where the evaluation has no weights."""
    patterns: Callable[[str], Patterns | None] = lambda _: None
    """``patterns(parameters)`` returns the patterns of a variant; None where its positions have none."""

    def __repr__(self) -> str:
        """Name the game as `engine.games.catalogue` has it."""
        return f"GAMES[{self.name!r}]"

    def parameters(self, text: str) -> str:
        """Return parameters in canonical text; raises `BadParameters`."""
        return str(self.variant_of(text))

    def warning(self, parameters: str) -> str:
        """Return a sentence on parameters that are allowed but odd; empty for others."""
        variant: Variant = self.variant_of(parameters)
        return variant.warning

    def start(self, parameters: str) -> Position:
        """Return the position in which a game of that variant begins; raises `BadParameters`."""
        return self.first_position(self.variant_of(parameters))
