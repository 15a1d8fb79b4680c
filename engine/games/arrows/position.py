"""Arrows: positions, and the game for `engine.games.interface`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from engine.compiling.binding import bind_fields, table
from engine.games.arrows import board, rules
from engine.games.boards.layout import Counts, Drawing, Piece
from engine.games.interface import UNDECIDED, BadMove, BadPosition, Child, Fields, Game, Outcome, Position, Rules


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrowsRules(Rules):
    """The rules of arrows."""

    after: Callable[[rules.State, int], rules.State]
    plies_left: Callable[[rules.State], int]


def tables(*, compile: bool) -> dict[str, Sequence[int]]:
    """Return the tables of the layout by global name."""
    return {name: table(values, compile=compile) for name, values in rules.layout().items()}


@cache
def bind(*, compile: bool = False) -> ArrowsRules:
    """Return the rules of all boards."""
    constants = {"WORDS": rules.WORDS, **tables(compile=compile)}
    return bind_fields(ArrowsRules, (rules,), "arrows", constants, compile=compile)


USED_PART = 0.8
"""Part of the free fields that a usual game uses: 0.65 to 0.9 between equals, less if they begin near each other."""

NO_MOVE = "255"
"""Answer of programs that cannot place an arrow."""


class Ending(StrEnum):
    """The ends of arrows on the board: the reasons why the side to move cannot use the target of its last arrow."""

    OFF_BOARD = "off_board"
    """The target lies off the board."""
    OCCUPIED = "occupied"
    """The target has an arrow of either player."""
    BLOCKED = "blocked"
    """The target is a blocked field."""
    TAKEN = "taken"
    """The opponent's last arrow has the same target."""


@dataclass(frozen=True, slots=True, repr=False)
class ArrowsPosition(Position):
    """A position of arrows: the set-up, all moves, and the state of the rules."""

    variant: board.Setup
    state: rules.State
    moves: tuple[int, ...] = ()

    @property
    def game(self) -> Game:
        """The game of arrows."""
        return ARROWS

    @property
    def turn(self) -> int:
        """The side to move: 0 for the first player, 1 for the second."""
        return len(self.moves) % 2

    @property
    def stage(self) -> int:
        """Number of moves: no arrow ever leaves the board."""
        return len(self.moves)

    @property
    def plies_ahead(self) -> int:
        """The usual part of the free fields."""
        return int(USED_PART * bind().plies_left(self.state))

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields of each player's arrows, also of the first ones."""
        placed = board.arrows(self.variant, self.moves)
        first, second = (frozenset(_name(arrow.field) for arrow in placed if arrow.side == side) for side in (0, 1))
        return first, second

    @property
    def lines(self) -> tuple[Counts, Counts]:
        """Empty: arrows has no lines."""
        return (), ()

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """For each side, the field of the opponent's next arrow if the next arrow of the side could point at it."""
        found = []
        for own, other in (self._next, self._next[::-1]):
            reached = self._usable(own) and self._usable(other) and other in _around(own)
            found.append(frozenset([_name(other)] if reached else []))
        return found[0], found[1]

    @property
    def mobility(self) -> tuple[int, int]:
        """For each side, the number of free neighbours of its next field; 0 if it cannot place an arrow there."""
        first, second = (
            sum(self._usable(field) for field in _around(own)) if self._usable(own) else 0 for own in self._next
        )
        return first, second

    @property
    def outcome(self) -> Outcome | None:
        """The loss of a side to move that cannot place its arrow, else None."""
        if bind().verdict(self.state) == UNDECIDED:
            return None
        placed = board.arrows(self.variant, self.moves)
        x, y = target = placed[-2].target
        if not self.variant.has(target):
            ending, reason = Ending.OFF_BOARD, "is off the board"
        elif target in self.variant.blocked:
            ending, reason = Ending.BLOCKED, "is blocked"
        elif any(arrow.field == target for arrow in placed):
            ending, reason = Ending.OCCUPIED, "is occupied"
        else:
            ending, reason = Ending.TAKEN, f"the last arrow of {board.SIDES[1 - self.turn]} points at, too"
        return Outcome(
            1 - self.turn, ending, f"{board.SIDES[self.turn]} cannot place an arrow on ({x}, {y}), which {reason}"
        )

    def children(self) -> Iterator[Child]:
        """Yield the eight moves in the order of directions. There are none if the game is over."""
        if bind().verdict(self.state) == UNDECIDED:
            for direction in range(rules.DIRECTIONS):
                yield self._child_at(direction)

    def child(self, move: str) -> Child:
        """Return the move and the position after it.

        Raises `BadMove` with the code BAD_MOVE_MEANS_NONE for 255, BAD_MOVE_IS_NO_DIRECTION for another text that is
        not 0 to 7, and BAD_MOVE_GAME_IS_OVER.
        """
        text = move.strip()
        if text == NO_MOVE:
            raise BadMove(
                "BAD_MOVE_MEANS_NONE",
                f"{NO_MOVE} says that no move is possible; here nobody plays it, for the game is over then",
            )
        if not re.fullmatch("[0-7]", text):
            raise BadMove(
                "BAD_MOVE_IS_NO_DIRECTION",
                f"{move!r} is no direction; a move is a number from 0 (up) to 7 (up left), clockwise",
            )
        outcome = self.outcome
        if outcome is not None:
            raise BadMove("BAD_MOVE_GAME_IS_OVER", f"the game is over: {outcome.detail}")
        return self._child_at(int(text))

    def text(self) -> str:
        """Return the text form: the set-up, and the moves after it."""
        return board.write(self.variant, self.moves)

    def picture(self, last: Child | None = None) -> str:
        """Draw the board, with the number of the player before each arrow."""
        return board.draw(self.variant, self.moves, mark_last=last is not None)

    def marked_field(self, move: str) -> str:
        """Return the field of the last arrow."""
        return _name(board.arrows(self.variant, self.moves)[-1].field)

    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with arrows, blocked fields, and the next fields of both sides."""
        first, second = (_name(field) if self.variant.has(field) else None for field in self._next)
        placed = board.arrows(self.variant, self.moves)
        over = self.is_over
        return Drawing(
            layout=board.layout(self.variant.columns, self.variant.rows),
            pieces=tuple(Piece(_name(arrow.field), arrow.side, arrow.direction) for arrow in placed),
            blocked=tuple(map(_name, self.variant.blocked)),
            aims=(None, None) if over else (first, second),
            marked=self.marked_field(last.move) if last else None,
            decisive=(_name(placed[-2].field),) if over else (),
        )

    def summary(self) -> str:
        """Return the next field of each side, and the number of free fields."""
        parts = [f"{name}: next on ({x}, {y})" for name, (x, y) in zip(board.SIDES, self._next, strict=True)]
        free = bind().plies_left(self.state)
        return "; ".join([*parts, f"{free} free field{'' if free == 1 else 's'}"])

    @property
    def _next(self) -> tuple[board.Field, board.Field]:
        """The fields of the next arrows of both sides."""
        placed = board.arrows(self.variant, self.moves)
        first, second = (placed[-1 - (self.turn == side)].target for side in range(len(board.SIDES)))
        return first, second

    def _usable(self, field: board.Field) -> bool:
        """Tell whether a field is a free field of the board."""
        at = rules.number(*field)
        return at != rules.NOWHERE and (self.state.low | self.state.high << rules.HALF) >> at & 1 == 1

    def _rules(self, *, compile: bool = False) -> ArrowsRules:
        return bind(compile=compile)

    def _child_at(self, direction: int) -> Child:
        after = bind().after(self.state, direction)
        return Child(str(direction), ArrowsPosition(self.variant, after, (*self.moves, direction)))


def _name(field: board.Field) -> str:
    return f"{field[0]},{field[1]}"


def _around(field: board.Field) -> list[board.Field]:
    return [board.beyond(field, direction) for direction in range(rules.DIRECTIONS)]


def begin(setup: board.Setup) -> ArrowsPosition:
    """Return the start position of a set-up."""
    taken = {*setup.starts, *setup.blocked}
    free = sum(
        1 << rules.number(x, y)
        for x in range(1, setup.columns + 1)
        for y in range(1, setup.rows + 1)
        if (x, y) not in taken
    )
    targets = []
    for side in range(len(board.SIDES)):
        target = setup.target(side)
        targets.append(rules.number(*target) if setup.has(target) and target not in taken else rules.NOWHERE)
    return ArrowsPosition(setup, rules.State(*rules.words(free), *targets))


def read(text: str) -> Position:
    """Read the text form of a position; raises `engine.games.interface.BadPosition`.

    The error of an illegal move has its line, and its code from `ArrowsPosition.child`.
    """
    setup, moves = board.read(text)
    position: Position = begin(setup)
    for count, (line, word) in enumerate(moves, 1):
        try:
            position = position.play(word)
        except BadMove as error:
            raise BadPosition(error.code, f"move {count}: {error}", line) from None
    return position


ARROWS = Game(
    name="arrows",
    title="Arrows",
    sides=board.SIDES,
    marks=board.MARKS,
    default_parameters="8 8",
    variant_of=board.parse,
    first_position=begin,
    read=read,
)
"""The game of arrows on every board."""
