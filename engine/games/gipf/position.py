"""GIPF behind the one interface of `engine.games.interface`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.compiling.binding import popcount
from engine.games.boards.board_game import BoardGame, BoardPosition
from engine.games.boards.layout import Drawing, Piece, Stock
from engine.games.boards.lines import Counts, completing_fields, count_lines, each_field
from engine.games.gipf import board, notation, parameters, rules
from engine.games.gipf.geometry import windows
from engine.games.gipf.kernel import GipfRules, bind, field_sets, reweigher
from engine.games.gipf.patterns.tables import patterns_of
from engine.games.interface import EvaluationWeights, Fields, Game, Successor
from engine.games.outcome import Outcome

HELD_PART = 0.4
"""The part of the fields that hold a piece when a game ends."""

PLIES_A_PIECE, PLIES_A_PIECE_SHORT, SHORT_RUN = 5, 15, 3
"""Moves of both sides for each piece that is captured; and where runs are no longer than that, and give most pieces
back."""


class Ending(StrEnum):
    """How the board itself ends a game of GIPF."""

    NO_RESERVE = "no_reserve"
    """The loser is to move and has no piece in reserve."""
    DEAD_LOCK = "dead_lock"
    """The loser is to move and every line is full."""


@dataclass(frozen=True, slots=True, repr=False)
class GipfPosition(BoardPosition[parameters.Parameters, rules.State]):
    """A position of GIPF: L and the state."""

    @property
    def game(self) -> Game:
        """The game of GIPF."""
        return GIPF

    @property
    def turn(self) -> int:
        """Who moves: 0 white, 1 black."""
        return self.state.side

    @property
    def stage(self) -> int:
        """The pieces that were not captured."""
        pieces = popcount(self.state.white | self.state.black)
        return pieces + self.state.white_reserve + self.state.black_reserve

    @property
    def plies_ahead(self) -> int:
        """So many moves as it takes to capture what the board does not hold, and to use up a reserve.

        Of games at 2000 nodes a move, 4 4 15 15 took 102 on average, and 3 3 12 12 took 271.
        """
        held = HELD_PART * (3 * self.variant.size * (self.variant.size - 1) + 1)
        a_piece = PLIES_A_PIECE if self.variant.run > SHORT_RUN else PLIES_A_PIECE_SHORT
        least = min(self.state.white_reserve, self.state.black_reserve)
        return round(a_piece * max(0.0, self.stage - held)) + 2 * least

    @property
    def pieces(self) -> tuple[Fields, Fields]:
        """The fields on which white and black have a piece."""
        return self._names(self.state.white), self._names(self.state.black)

    @property
    def reserves(self) -> tuple[int, int]:
        """The reserves of white and black."""
        return self.state.white_reserve, self.state.black_reserve

    @property
    def captured(self) -> tuple[int, int]:
        """How many pieces white and black have lost for good."""
        white, black = (
            total - reserve - popcount(pieces)
            for total, reserve, pieces in zip(self.variant[2:], self.reserves, self.state[:2], strict=True)
        )
        return white, black

    @property
    def lines(self) -> tuple[Counts, Counts]:
        """How many lines of K fields hold 0 to K pieces of a side, and none of the other."""
        size, run, *_ = self.variant
        white, black = self.state[:2]
        lines = windows(size, run)
        return count_lines(lines, run, white, black), count_lines(lines, run, black, white)

    @property
    def threats(self) -> tuple[Fields, Fields]:
        """The empty fields on which a side lacks a piece to K in a line."""
        size, run, *_ = self.variant
        white, black = self.state[:2]
        lines = windows(size, run)
        return (
            self._names(completing_fields(lines, run, white, black)),
            self._names(completing_fields(lines, run, black, white)),
        )

    @property
    def mobility(self) -> tuple[int, int]:
        """How many pushes are possible, for who has a piece in reserve."""
        occupied = self.state.white | self.state.black
        pushes = sum(1 for line in self._rules().LINE if line & ~occupied)
        white, black = (pushes if reserve else 0 for reserve in self.reserves)
        return white, black

    def verdict(self) -> Outcome | None:
        """Return the loss of a side that is to move and has no reserve or no open line, else None."""
        if self._rules().can_push(self.state):
            return None
        winner = 1 - self.state.side
        loser = notation.SIDES[self.state.side]
        if (self.state.white_reserve, self.state.black_reserve)[self.state.side] == 0:
            return Outcome(winner, Ending.NO_RESERVE, f"{loser} is to move and has no piece in reserve")
        return Outcome(winner, Ending.DEAD_LOCK, f"{loser} is to move and every line is full")

    def successors(self) -> Iterator[Successor]:
        """Yield every (push, final position), pushes in the documented order."""
        if not self._rules().can_push(self.state):
            return
        occupied = self.state.white | self.state.black
        for number, line in enumerate(self._rules().LINE):
            if line & ~occupied:
                for state, text in notation.push_moves(self.variant.size, self.variant.run, self.state, number):
                    yield Successor(text, GipfPosition(self.variant, state))

    def resolve(self, move: str) -> Successor:
        """Return the move in canonical text and the position after it; raises `engine.games.interface.BadMove`."""
        text, state = notation.resolve(self.variant.size, self.variant.run, self.state, move)
        return Successor(text, GipfPosition(self.variant, state))

    def text(self) -> str:
        """Return the board text."""
        return board.write(self.variant, self.state)

    def picture(self, last: Successor | None = None) -> str:
        """Draw the board with its ring of dots and their names."""
        return board.draw(self.variant.size, self.state, _pushed_onto(last) or "")

    def drawing(self, last: Successor | None = None) -> Drawing:
        """Return the board with its ring of dots, and all pieces."""
        layout = board.layout(self.variant.size)
        sides = self.pieces
        pieces = (Piece(name, side) for name, *_ in layout.fields for side in (0, 1) if name in sides[side])
        first, second = map(Stock, self.reserves, self.captured)
        return Drawing(layout=layout, pieces=tuple(pieces), stock=(first, second), marked=_pushed_onto(last))

    def summary(self) -> str:
        """Say what each side has in reserve and what it has lost."""
        sides = zip(notation.SIDES, self.reserves, self.captured, strict=True)
        return "; ".join(f"{name}: {reserve} in reserve, {lost} captured" for name, reserve, lost in sides)

    def _names(self, fields: int) -> Fields:
        by_bit = notation.names(self.variant.size).by_bit
        return frozenset(by_bit[field] for field in each_field(fields))

    def _rules(self, *, compile: bool = False) -> GipfRules:
        return bind(self.variant.size, self.variant.run, compile=compile)

    def _kernel_state(self, *, compile: bool) -> rules.State:
        sets = field_sets(self.variant.size, compile=compile)
        white, black, *others = self.state
        return rules.State(sets.number(white), sets.number(black), *others)


def _pushed_onto(last: Successor | None) -> str | None:
    """Return the field onto which the last move has pushed."""
    return last.move.split(" ")[0].partition("-")[2] if last else None


GIPF: Game = BoardGame(
    name="gipf",
    sides=notation.SIDES,
    marks=board.MARKS,
    default_parameters="4 4 15 15",
    variant_of=parameters.parse,
    first_position=lambda variant: GipfPosition(variant, board.start(variant)),
    read_position=lambda text: GipfPosition(*board.read(text)),
    weights=EvaluationWeights(
        reweigher=reweigher,
        patterns=lambda text: patterns_of(parameters.parse(text)),
    ),
)
"""The game of GIPF in every generalised variant."""
