"""Nine men's morris: positions, and the game for `engine.games.interface`.

A move is numbers of fields, separated by spaces. ``p`` places a piece on p, and ``p t`` also takes the piece on t.
``f t`` moves a piece from f to t, and ``f t c`` also takes the piece on c. Two numbers are a placement as long as the
side to move has a piece in hand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from engine.compiling.binding import bind_fields, popcount
from engine.games.boards.layout import Drawing, Stock
from engine.games.interface import DRAWN, UNDECIDED, WON, BadMove, BadParameters, Child, Game, Outcome, Position, Rules
from engine.games.morris import board, rules

MAX_NUMBERS = 3
"""Largest number of fields in a move."""


def numbers_of(fields: int) -> list[int]:
    """Return the numbers of a set of fields, in ascending order."""
    return [field for field in range(rules.FIELDS) if fields >> field & 1]


def text_of(before: rules.State, after: rules.State) -> str:
    """Return the canonical text of the move that leads from one position to the next."""
    # the mover's set before the move is the opponent's set after it
    left = before.own & ~after.other
    reached = after.other & ~before.own
    taken = before.other & ~after.own
    return " ".join(str(number) for fields in (left, reached, taken) for number in numbers_of(fields))


def resolve_move(state: rules.State, text: str) -> tuple[str, rules.State]:
    """Return a move in canonical text and the position after it.

    Raises `BadMove` with the first of these codes that applies, for a number n of the move: BAD_MOVE_IS_UNREADABLE,
    BAD_MOVE_GAME_IS_OVER, BAD_MOVE_HAND_IS_NOT_EMPTY, BAD_MOVE_HAND_IS_EMPTY, BAD_MOVE_<n>_IS_NOT_YOURS,
    BAD_MOVE_<n>_IS_OCCUPIED, BAD_MOVE_<n>_IS_NO_NEIGHBOUR, BAD_MOVE_CAPTURE_IS_DUE, BAD_MOVE_CAPTURE_IS_NOT_DUE,
    BAD_MOVE_<n>_IS_NO_PIECE_TO_TAKE, BAD_MOVE_<n>_STANDS_IN_A_MILL.
    """
    words = text.split()
    if not 1 <= len(words) <= MAX_NUMBERS or not all(
        re.fullmatch("[0-9]{1,2}", word) and int(word) < rules.FIELDS for word in words
    ):
        raise BadMove(
            "BAD_MOVE_IS_UNREADABLE",
            f"a move is one to three numbers of fields, 0 to {rules.FIELDS - 1}, separated by blanks; not {text!r}",
        )
    if rules.too_few(state) or not rules.can_move(state):
        raise BadMove("BAD_MOVE_GAME_IS_OVER", "the game is over: there is no move to make")
    rest, target, named = _land(state, list(map(int, words)))
    prey = _captured(state, text, bool(rules.completing(rest) & target), named)
    after = rules.State(state.other ^ prey, rest | target, state.other_hand, max(0, state.own_hand - 1), 1 - state.side)
    return text_of(state, after), after


def _land(state: rules.State, numbers: list[int]) -> tuple[int, int, int | None]:
    """Return the other pieces of the mover and the target field, as sets, and the number of the piece to take."""
    mover = board.SIDES[state.side]
    if state.own_hand != 0:
        if len(numbers) == MAX_NUMBERS:
            raise BadMove(
                "BAD_MOVE_HAND_IS_NOT_EMPTY",
                f"{mover} places a piece as long as there is one in hand, {state.own_hand} now: p or p t",
            )
        rest, target, *named = state.own, *numbers
    else:
        if len(numbers) == 1:
            raise BadMove(
                "BAD_MOVE_HAND_IS_EMPTY", f"{mover} has no piece in hand and moves one on the board: f t or f t c"
            )
        source, target, *named = numbers
        rest = state.own & ~(1 << source)
        if rest == state.own:
            raise BadMove(
                f"BAD_MOVE_{source}_IS_NOT_YOURS",
                f"no piece of {mover} stands on {source}; its pieces stand on {_list(state.own)}",
            )
    empty = rules.BOARD & ~(state.own | state.other)
    if not empty >> target & 1:
        raise BadMove(f"BAD_MOVE_{target}_IS_OCCUPIED", f"{mover} brings a piece to {target}, but a piece stands there")
    if state.own_hand == 0 and popcount(state.own) != rules.FLYING and not rules.neighbours(1 << source) >> target & 1:
        free = _list(rules.neighbours(1 << source) & empty) or "none"
        raise BadMove(
            f"BAD_MOVE_{target}_IS_NO_NEIGHBOUR",
            f"{target} is no neighbour of {source}, whose free neighbours are: {free}",
        )
    return rest, 1 << target, named[0] if named else None


def _captured(state: rules.State, text: str, mill: bool, named: int | None) -> int:
    """Return the piece that a move takes, as a set. Empty if no piece is named and none must be taken."""
    prey = rules.removable(state.other) if mill else 0
    if named is None:
        if prey:
            raise BadMove(
                "BAD_MOVE_CAPTURE_IS_DUE",
                f"the move makes a mill and takes a piece: name one of {_list(prey)} after it",
            )
        return 0
    opponent = board.SIDES[1 - state.side]
    if not prey:
        raise BadMove(
            "BAD_MOVE_CAPTURE_IS_NOT_DUE",
            f"{text!r} would take the piece on {named}, but it makes no mill, or {opponent} has no piece to take",
        )
    if not state.other >> named & 1:
        raise BadMove(
            f"BAD_MOVE_{named}_IS_NO_PIECE_TO_TAKE",
            f"no piece of {opponent} stands on {named}; one of {_list(prey)} can be taken",
        )
    if not prey >> named & 1:
        raise BadMove(
            f"BAD_MOVE_{named}_STANDS_IN_A_MILL",
            f"the piece on {named} stands in a mill; one of {_list(prey)} can be taken, which stand in none",
        )
    return 1 << named


def _list(fields: int) -> str:
    return ", ".join(map(str, numbers_of(fields)))


@cache
def bind(*, compile: bool = False) -> Rules:
    """Return the rules."""
    return bind_fields(Rules, (rules,), "morris", {"WORDS": rules.WORDS}, compile=compile)


PLIES_ON_BOARD = 42
"""Usual number of moves of both sides after all pieces are placed."""

MILL = 3
"""Pieces in a line."""

QUIET_LIMIT = 100
"""Plies without a placement or a capture that make a draw: fifty moves of each side, as in chess."""


class Ending(StrEnum):
    """The ends of nine men's morris on the board."""

    TOO_FEW_PIECES = "too_few_pieces"
    """Both hands are empty and the loser has fewer than three pieces. It is a draw if both sides have."""
    NO_MOVE = "no_move"
    """The loser is to move and has no legal move."""


class UsualVariant:
    """The only variant."""

    warning = ""

    def __str__(self) -> str:
        return ""


USUAL = UsualVariant()


@dataclass(frozen=True, slots=True, repr=False)
class MorrisPosition(Position):
    """A position of nine men's morris."""

    variant: UsualVariant
    state: rules.State

    @property
    def game(self) -> Game:
        """Nine men's morris."""
        return MORRIS

    @property
    def stage(self) -> int:
        """Number of placed pieces plus number of taken pieces."""
        hands = self.state.own_hand + self.state.other_hand
        placed, taken = 2 * rules.PIECES - hands, 2 * rules.PIECES - hands - popcount(self.state.own | self.state.other)
        return placed + taken

    @property
    def plies_ahead(self) -> int:
        """The placements, and the usual number of moves after them."""
        return self.state.own_hand + self.state.other_hand + PLIES_ON_BOARD

    @property
    def reserves(self) -> tuple[int, int]:
        """The pieces in hand of white and black."""
        return board.hands_of(self.state)

    @property
    def captured(self) -> tuple[int, int]:
        """The taken pieces of white and black."""
        white, black = (
            rules.PIECES - hand - popcount(pieces)
            for hand, pieces in zip(self.reserves, board.pieces_of(self.state), strict=True)
        )
        return white, black

    @property
    def mobility(self) -> tuple[int, int]:
        """The number of placements, steps or jumps of each side."""
        white, black = board.pieces_of(self.state)
        empty = rules.BOARD & ~(white | black)
        first, second = (
            rules.count_slides(own, empty)
            if hand == 0 and popcount(own) != rules.FLYING
            else popcount(empty) * (1 if hand else popcount(own))
            for own, hand in zip((white, black), self.reserves, strict=True)
        )
        return first, second

    @property
    def outcome(self) -> Outcome | None:
        """The loss of a side with too few pieces or without a move, a draw, or None."""
        verdict = rules.verdict(self.state)
        if verdict == UNDECIDED:
            return None
        if verdict == DRAWN:
            return Outcome(None, Ending.TOO_FEW_PIECES, "both sides have fewer than three pieces left")
        winner = self.turn if verdict == WON else 1 - self.turn
        loser = board.SIDES[1 - winner]
        if rules.too_few(self.state):
            left = popcount(board.pieces_of(self.state)[1 - winner])
            return Outcome(
                winner,
                Ending.TOO_FEW_PIECES,
                f"{loser} has {left} piece{'' if left == 1 else 's'} left, fewer than three",
            )
        return Outcome(winner, Ending.NO_MOVE, f"{loser} is to move and has no piece that can")

    def children(self) -> Iterator[Child]:
        """Yield every legal move, in ascending order of the fields left, reached and captured."""
        kernel = self.kernel(compile=False)
        arena = kernel.arena(rules.count_moves(self.state))
        for at in range(kernel.rules.children(self.state, arena, 0)):
            after = kernel.rules.load(arena, at)
            yield Child(text_of(self.state, after), MorrisPosition(USUAL, after))

    def child(self, move: str) -> Child:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        text, state = resolve_move(self.state, move)
        return Child(text, MorrisPosition(USUAL, state))

    def move_to(self, state: rules.State) -> Child:
        """Return the move that leads to a state; raises ValueError if there is none."""
        child = self.child(text_of(self.state, state))
        if child.position.key != state:
            raise ValueError("no move leads to that position")
        return child

    def text(self) -> str:
        """Return the text form: hands, side to move and fields."""
        return board.write(self.state)

    def picture(self, last: Child | None = None) -> str:
        """Draw the board with the numbers of its fields. The field of the last move is in brackets."""
        return board.draw(self.state, int(self.marked_field(last.move)) if last else -1)

    def drawing(self, last: Child | None = None) -> Drawing:
        """Return the board with all pieces."""
        layout = board.layout()
        first, second = map(Stock, self.reserves, self.captured)
        marked = self.marked_field(last.move) if last else None
        return Drawing(layout=layout, pieces=self._standing(layout), stock=(first, second), marked=marked)

    def marked_field(self, move: str) -> str:
        """Return the field that the moved piece has reached: the only field of the move that is not empty now."""
        return next(field for field in move.split() if board.piece_at(self.state, int(field)) != "_")

    def summary(self) -> str:
        """Say what each side has in hand and in all, and how it moves."""
        parts = []
        for name, pieces, hand in zip(
            board.SIDES, board.pieces_of(self.state), board.hands_of(self.state), strict=True
        ):
            count = popcount(pieces)
            phase = "placing" if hand else "flying" if count == rules.FLYING else "moving"
            parts.append(f"{name}: {hand} in hand, {count + hand} left, {phase}")
        return "; ".join(parts)

    @property
    def _sets(self) -> tuple[int, int]:
        return board.pieces_of(self.state)

    @property
    def _windows(self) -> tuple[Sequence[int], int]:
        return rules.LINES, MILL

    def _name(self, field: int) -> str:
        return str(field.bit_length() - 1)

    def _rules(self, *, compile: bool = False) -> Rules:
        return bind(compile=compile)


def variant_of(text: str) -> UsualVariant:
    """Return the only variant; raises `engine.games.interface.BadParameters` for anything but spaces."""
    if text.strip():
        raise BadParameters("bad_parameters", f"nine men's morris takes no parameters; not {text!r}")
    return USUAL


MORRIS = Game(
    name="morris",
    title="Nine men’s morris",
    sides=board.SIDES,
    marks=board.MARKS,
    default_parameters="",
    variant_of=variant_of,
    first_position=lambda variant: MorrisPosition(variant, board.start()),
    read=lambda text: MorrisPosition(USUAL, board.read(text)),
    quiet_limit=QUIET_LIMIT,
)
"""Nine men's morris; there are no variants."""
