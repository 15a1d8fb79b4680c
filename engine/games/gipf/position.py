"""GIPF behind the one interface of `engine.games.interface`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.compiling.binding import popcount
from engine.games.board_game import BoardGame, BoardPosition
from engine.games.gipf import board, drawing, notation, parameters, rules
from engine.games.gipf.evaluation import FIXED, Weights
from engine.games.gipf.kernel import GipfRules, bind, features, field_sets, reweigher
from engine.games.gipf.patterns.entries import patterns_of
from engine.games.interface import EvaluationWeights, Game, Successor
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


@dataclass(frozen=True, slots=True)
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
        pushed = last.move.split(" ")[0].partition("-")[2] if last else ""
        return drawing.draw(self.variant.size, self.state, pushed)

    def summary(self) -> str:
        """Say what each side has in reserve and what it has lost."""
        parts = []
        for side, name in enumerate(notation.SIDES):
            reserve = (self.state.white_reserve, self.state.black_reserve)[side]
            lost = self.variant[2 + side] - reserve - popcount((self.state.white, self.state.black)[side])
            parts.append(f"{name}: {reserve} in reserve, {lost} captured")
        return "; ".join(parts)

    def _rules(self, *, compile: bool = False) -> GipfRules:
        return bind(self.variant.size, self.variant.run, compile=compile)

    def _kernel_state(self, *, compile: bool) -> rules.State:
        sets = field_sets(self.variant.size, compile=compile)
        white, black, *others = self.state
        return rules.State(sets.number(white), sets.number(black), *others)


GIPF: Game = BoardGame(
    name="gipf",
    sides=notation.SIDES,
    marks=drawing.MARKS,
    default_parameters="4 4 15 15",
    variant_of=parameters.parse,
    first_position=lambda variant: GipfPosition(variant, board.start(variant)),
    read_position=lambda text: GipfPosition(*board.read(text)),
    weights=EvaluationWeights(
        named=lambda named: Weights.named(named)._asdict(),
        fixed=FIXED,
        reweigher=reweigher,
        features=features,
        patterns=lambda text: patterns_of(parameters.parse(text)),
    ),
)
"""The game of GIPF in every generalised variant."""
