"""m,n,k-games: the rules bound to a board, positions, and the game for `engine.games.interface`.

Field (row r, column c), counted from 0 at the top left, is bit ``r * M + c`` on a board of M columns. So the fields of
a line have equal distances in bits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from engine.compiling.binding import FieldSets, bind_fields, popcount, table
from engine.compiling.wide_integers import WORD_BITS, WideInteger, run_shifts, width_for
from engine.games.boards.layout import Drawing, each_field
from engine.games.boards.symmetry import swaps_of
from engine.games.interface import UNDECIDED, BadMove, Child, Game, Outcome, Position, Rules
from engine.games.mnk import board, evaluation, rules

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of lines as (row, column) steps: rows, columns and both diagonals."""


MAX_WINDOWS = 64
"""Most recently used results of `windows` that are cached, of up to 100 KB each."""


def lines(rows: int, columns: int, run: int) -> tuple[tuple[int, int], ...]:
    """Return the step and the first fields of the lines of ``run`` fields, for each of the four directions.

    The step is the distance in bits to the next field, or 0 if no line fits on the board.
    """
    found = []
    for down, right in DIRECTIONS:
        starts = 0
        for row in range(rows - (run - 1) * down):
            for column in range(columns):
                if 0 <= column + (run - 1) * right < columns:
                    starts |= 1 << (row * columns + column)
        found.append((down * columns + right if starts else 0, starts))
    return tuple(found)


@lru_cache(MAX_WINDOWS)
def windows(rows: int, columns: int, run: int) -> tuple[int, ...]:
    """Return all lines of ``run`` fields on a board, as sets of fields."""
    found = []
    for step, starts in lines(rows, columns, run):
        first = sum(1 << (step * i) for i in range(run)) if step else 1
        found += [first << start for start in range(rows * columns) if starts >> start & 1]
    return tuple(found)


HASH_BITS = 62
"""Fields that are mixed into a hash at once."""

STEEPNESS = 4
"""Factor of the value of an open line for each piece in it. On 8 8 5, a factor of 3 plays alike, and 8 plays worse."""

FLAT = 6
"""Missing pieces from which on an open line has the value 1. An empty line has the value 0."""

MAX_BOARDS = 2048
"""Most recently used bindings that are cached, of 60 KB each, and some megabytes if compiled. There are 5000 pairs of
board and K, and by default fewer matches at a time on a server."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MnkRules(Rules):
    """The rules of m,n,k-games, bound to one board and one K."""

    STEPS: Sequence[int]
    STARTS: Sequence[int]
    SHIFTS: Sequence[int]
    after: Callable[[rules.State, int], rules.State]
    own_of: Callable[[rules.State], int]
    other_of: Callable[[rules.State], int]
    empty_of: Callable[[rules.State], int]
    winning_fields: Callable[[int, int], int]
    has_line: Callable[[int], bool]


def bind(parameters: board.Parameters, *, compile: bool = False) -> MnkRules:
    """Return the rules of a board and K. Compiled rules use the sets of `compiled_set`."""
    rows, columns, run = parameters
    # all K that are too large have the same rules
    run = min(run, max(rows, columns) + 1)
    return _bind(rows, columns, run, compile)


def compiled_set(word: int, fields: int) -> int:
    """Return a set of fields for compiled rules. On a board of 64 fields the last field is the sign of a word."""
    if fields > WORD_BITS:
        return WideInteger(word, width_for(fields))
    return word - (1 << WORD_BITS) if fields == WORD_BITS and word >> (WORD_BITS - 1) else word


@lru_cache(MAX_BOARDS)
def _bind(rows: int, columns: int, run: int, compile: bool) -> MnkRules:
    fields = rows * columns
    sets = FieldSets(compile, WORD_BITS if fields <= WORD_BITS else width_for(fields))

    def words(values: list[int]) -> Sequence[int]:
        if sets.is_wide:
            return sets.table(values)
        return tuple(compiled_set(value, fields) for value in values) if compile else tuple(values)

    def numbers(values: list[int]) -> Sequence[int]:
        return table(values, compile=compile)

    of_directions = lines(rows, columns, run)
    places = [(row, column) for row in range(rows) for column in range(columns)]
    reflections = [
        {row * columns + column: row * columns + columns - 1 - column for row, column in places},
        {row * columns + column: (rows - 1 - row) * columns + column for row, column in places},
    ]
    path = [0, 1, 0]
    if rows == columns:
        reflections.append({row * columns + column: column * columns + row for row, column in places})
        path += [2, *path]
    starts, distances, lower = swaps_of(reflections)
    constants: dict[str, Any] = {
        **sets.constants(),
        "WORDS": rules.FIRST + 2 * sets.constants()["SET_WORDS"],
        "BOARD": words([(1 << fields) - 1])[0],
        "K": run,
        "STEPS": tuple(step for step, _ in of_directions),
        "STARTS": words([starts for _, starts in of_directions]),
        "SHIFTS": run_shifts(run) or (0,),
        "LINE_VALUES": numbers([STEEPNESS ** max(0, FLAT - (run - count)) if count else 0 for count in range(run + 1)]),
        "HASH_PARTS": tuple((1 << min(HASH_BITS, fields - at)) - 1 for at in range(0, fields, HASH_BITS)),
        "MARGIN": evaluation.MARGIN,
        "BREADTH": evaluation.BREADTH,
        "CHUNKS": -(-fields // evaluation.CHUNK_BITS),
        "POWERS": numbers([1 << count for count in range(run + 1)]),
        "SWAPS_FROM": tuple(starts),
        "DISTANCES": numbers(distances),
        "LOWER": sets.table(words(lower)),
        "PATH": tuple(path),
        "HEADS": words(_heads(fields, [reflections[number] for number in path])),
        "SIGN": words([1 << (WORD_BITS - 1)])[0] if compile and fields == WORD_BITS else 0,
    }
    return bind_fields(MnkRules, (rules, evaluation), f"mnk_{rows}_{columns}_{run}", constants, compile=compile)


def _heads(fields: int, path: list[dict[int, int]]) -> list[int]:
    """Return for each reflection of a path the fields whose image is the field itself or a higher one."""
    places = list(range(fields))
    found = []
    for images in path:
        places = [images[place] for place in places]
        found.append(sum(1 << field for field, place in enumerate(places) if place >= field))
    return found


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
