"""Nine men's morris behind the one interface of `engine.games.interface`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.compiling.binding import popcount
from engine.games.boards.board_game import BoardGame, BoardPosition
from engine.games.boards.layout import Drawing, Piece, Stock
from engine.games.boards.lines import Counts, completing_fields, count_lines, each_field
from engine.games.interface import DRAWN, UNDECIDED, WON, BadParameters, Fields, Game, Successor
from engine.games.morris import board, notation, rules
from engine.games.morris.fields import BOARD, LINES
from engine.games.morris.kernel import MorrisRules, bind
from engine.games.outcome import Outcome

PLIES_ON_BOARD = 42
"""Moves of both sides that usually follow, wherever a game stands."""

MILL = 3
"""Pieces in a line."""

QUIET_LIMIT = 100
"""Plies without a placement or a capture after which a match is drawn: fifty moves of each side, as in chess."""


class Ending(StrEnum):
    """How the board itself ends a game of nine men's morris."""

    TOO_FEW_PIECES = "too_few_pieces"
    """Both hands are empty and the loser has fewer than three pieces. Where both sides have, it is a draw."""
    NO_MOVE = "no_move"
    """The loser is to move and every piece is blocked."""


class Usual:
    """The only variant."""

    warning = ""

    def __str__(self) -> str:
        return ""


USUAL = Usual()


@dataclass(frozen=True, slots=True, repr=False)
class MorrisPosition(BoardPosition[Usual, rules.State]):
    """A position of nine men's morris."""

    @property
    def game(self) -> Game:
        """Nine men's morris."""
        return MORRIS

    @property
    def turn(self) -> int:
        """Who moves: 0 white, 1 black."""
        return self.state.side

    @property
    def stage(self) -> int:
        """Pieces placed and pieces taken since the empty board, together."""
        hands = self.state.own_hand + self.state.other_hand
        on_board = popcount(self.state.own | self.state.other)
        placed, taken = 2 * rules.PIECES - hands, 2 * rules.PIECES - hands - on_board
        return placed + taken

    @property
    def plies_ahead(self) -> int:
        """One for each piece in hand, and as many as are usual after these."""
        return self.state.own_hand + self.state.other_hand + PLIES_ON_BOARD

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields on which white and black have a piece."""
        white, black = board.pieces_of(self.state)
        return _names(white), _names(black)

    @property
    def reserves(self) -> tuple[int, int]:
        """How many pieces white and black have in hand."""
        return board.hands_of(self.state)

    @property
    def captured(self) -> tuple[int, int]:
        """How many pieces of white and of black were taken."""
        white, black = (
            rules.PIECES - hand - popcount(pieces)
            for hand, pieces in zip(self.reserves, board.pieces_of(self.state), strict=True)
        )
        return white, black

    @property
    def lines(self) -> tuple[Counts, Counts]:
        """How many of the sixteen lines hold 0 to 3 pieces of a side, and none of the other; 3 are a mill."""
        white, black = board.pieces_of(self.state)
        return count_lines(LINES, MILL, white, black), count_lines(LINES, MILL, black, white)

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """The empty fields on which a side lacks a piece to a mill."""
        white, black = board.pieces_of(self.state)
        return (
            _names(completing_fields(LINES, MILL, white, black)),
            _names(completing_fields(LINES, MILL, black, white)),
        )

    @property
    def mobility(self) -> tuple[int, int]:
        """How many ways there are to place, to step or to jump."""
        white, black = board.pieces_of(self.state)
        empty = BOARD & ~(white | black)
        first, second = (
            rules.count_slides(own, empty)
            if hand == 0 and popcount(own) != rules.FLYING
            else popcount(empty) * (1 if hand else popcount(own))
            for own, hand in zip((white, black), self.reserves, strict=True)
        )
        return first, second

    def verdict(self) -> Outcome | None:
        """Return how the game has ended, or None: a side has too few pieces, or the one to move has no move."""
        verdict = bind().verdict(self.state)
        if verdict == UNDECIDED:
            return None
        if verdict == DRAWN:
            return Outcome(None, Ending.TOO_FEW_PIECES, "both sides have fewer than three pieces left")
        winner = self.turn if verdict == WON else 1 - self.turn
        loser = board.SIDES[1 - winner]
        if bind().too_few(self.state):
            left = popcount(board.pieces_of(self.state)[1 - winner])
            return Outcome(
                winner,
                Ending.TOO_FEW_PIECES,
                f"{loser} has {left} piece{'' if left == 1 else 's'} left, fewer than three",
            )
        return Outcome(winner, Ending.NO_MOVE, f"{loser} is to move and has no piece that can")

    def successors(self) -> Iterator[Successor]:
        """Yield every legal move, by the field left, the field reached and the field of the piece taken, ascending."""
        kernel = self.kernel(compile=False)
        arena = kernel.arena(bind().count_moves(self.state))
        for at in range(kernel.rules.children(self.state, arena, 0)):
            after = kernel.rules.load(arena, at)
            yield Successor(notation.text_of(self.state, after), MorrisPosition(USUAL, after))

    def resolve(self, move: str) -> Successor:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        text, state = notation.resolve(self.state, move)
        return Successor(text, MorrisPosition(USUAL, state))

    def move_to(self, state: rules.State) -> Successor:
        """Return the move that makes the difference; raises ValueError where none does."""
        successor = self.resolve(notation.text_of(self.state, state))
        if successor.position.key != state:
            raise ValueError("no move leads to that position")
        return successor

    def text(self) -> str:
        """Return hands, side to move and fields."""
        return board.write(self.state)

    def picture(self, last: Successor | None = None) -> str:
        """Draw the board with the numbers of its fields; the piece that was placed or moved stands in brackets."""
        return board.draw(self.state, -1 if (field := self._come_to(last)) is None else int(field))

    def drawing(self, last: Successor | None = None) -> Drawing:
        """Return the board with all pieces."""
        layout, sides = board.layout(), self.pieces
        pieces = (Piece(name, side) for name, *_ in layout.fields for side in (0, 1) if name in sides[side])
        first, second = map(Stock, self.reserves, self.captured)
        return Drawing(layout=layout, pieces=tuple(pieces), stock=(first, second), marked=self._come_to(last))

    def _come_to(self, last: Successor | None) -> str | None:
        """Return the field that a piece has come to: of those that a move names the only one that is not empty now."""
        named = last.move.split() if last else ()
        return next((field for field in named if board.piece_at(self.state, int(field)) != "_"), None)

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

    def _rules(self, *, compile: bool = False) -> MorrisRules:
        return bind(compile=compile)


def _names(fields: int) -> Fields:
    return frozenset(str(field.bit_length() - 1) for field in each_field(fields))


def variant_of(text: str) -> Usual:
    """Return the only variant; raises `engine.games.interface.BadParameters` for anything but spaces."""
    if text.strip():
        raise BadParameters("bad_parameters", f"nine men's morris takes no parameters; not {text!r}")
    return USUAL


MORRIS: Game = BoardGame(
    name="morris",
    sides=board.SIDES,
    marks=board.MARKS,
    default_parameters="",
    variant_of=variant_of,
    first_position=lambda variant: MorrisPosition(variant, board.start()),
    read_position=lambda text: MorrisPosition(USUAL, board.read(text)),
    quiet_limit=QUIET_LIMIT,
)
"""Nine men's morris; there are no variants."""
