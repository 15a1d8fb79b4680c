"""A game that is played by actions, with the rules, draws and ends of a match."""

from dataclasses import dataclass
from functools import cached_property

import numpy
from numpy.typing import NDArray

from engine.games.catalogue import start_of
from engine.games.interface import MOVE_LIMIT, BadMove, History, Outcome
from engine.match.encoding import Encoding, Planes, encoding_of, legal_actions


@dataclass(frozen=True)
class Episode:
    """A game so far, and the actions of the move under way. Immutable: `after` returns a longer one."""

    history: History
    move_limit: int = MOVE_LIMIT
    """The game is drawn after so many moves, both sides' counted."""
    made: tuple[int, ...] = ()
    """The first actions of a move, of which more are to come."""

    @classmethod
    def begin(cls, game: str, parameters: str = "", move_limit: int = MOVE_LIMIT) -> "Episode":
        """Return the beginning of a game, of the usual variant where no parameters are given.

        Raises `engine.games.interface.BadParameters`.
        """
        return cls(History.begin(start_of(game, parameters)), move_limit)

    @property
    def encoding(self) -> Encoding:
        """The meaning of actions and planes in this variant."""
        return encoding_of(self.history.start.game.name, self.history.start.parameters)

    @property
    def turn(self) -> int:
        """The side that makes the next action: 0 the side that began the game, 1 the other."""
        return self.history.position.turn

    @cached_property
    def outcome(self) -> Outcome | None:
        """How the game has ended, or None while it goes on."""
        return self.history.outcome(self.move_limit)

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """Every action that may be made now, in ascending order; none when the game is over."""
        return tuple(sorted({actions[len(self.made)] for actions in self._moves}))

    @cached_property
    def _moves(self) -> dict[tuple[int, ...], str]:
        """The legal moves that begin with the actions made, by all their actions."""
        if self.outcome is not None:
            return {}
        moves, count = legal_actions(self.history.position), len(self.made)
        return {actions: move for actions, move in moves.items() if actions[:count] == self.made}

    def after(self, action: int) -> "Episode":
        """Return the episode after one more action; raises `engine.games.interface.BadMove`."""
        if action not in self.legal:
            raise BadMove(
                "BAD_MOVE_IS_NO_LEGAL_ACTION",
                f"action {action} may not be made now; legal are {', '.join(map(str, self.legal)) or 'none'}",
            )
        made = (*self.made, action)
        if made in self._moves:
            return Episode(self.history.after(self._moves[made]), self.move_limit)
        return Episode(self.history, self.move_limit, made)

    def observe(self, side: int) -> Planes:
        """Return what a side sees, as planes of zeros to ones: its own pieces come first."""
        return self.encoding.observe(self.history, side, self.made)

    def mask(self) -> NDArray[numpy.int8]:
        """Return a one for each action that may be made now, and zeros for all others."""
        mask = numpy.zeros(self.encoding.size, numpy.int8)
        mask[list(self.legal)] = 1
        return mask

    def returns(self) -> tuple[float, float]:
        """Return what the game was worth to both sides: 1 a win, -1 a loss, 0 a draw, or a game that goes on."""
        winner = self.outcome.winner if self.outcome else None
        return (0.0, 0.0) if winner is None else (1.0 - 2 * winner, 2.0 * winner - 1)

    def __deepcopy__(self, memo: object) -> "Episode":
        """Return the episode itself, which nobody can change."""
        return self
