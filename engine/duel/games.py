"""A game of a duel, and a pair of games: one opening, each side beginning once.

What answers is passed in: a function that takes a `Request` and returns a `Reply`. A game ends as the rules, a
repetition, a lack of progress or the limit of moves end it, or when a side has used up its budget; nothing else does.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from engine.duel.engine_config import Budget
from engine.duel.openings import Opening
from engine.games.history import History
from engine.games.interface import BadMove, Position
from engine.games.outcome import Termination

NAMES = ("A", "B")
"""What the sides of a duel are called."""


class Request(NamedTuple):
    """What a side is asked: a move, after these from the start of the game."""

    game: int
    """A number that no other game has, so that whoever answers knows when a new one begins."""
    moves: tuple[str, ...]
    left_ms: float | None
    """What is left of its budget; None where it has none."""


class Reply(NamedTuple):
    """What it answers."""

    move: str
    ms: float
    """Milliseconds from the request to the answer, as the side's own process has measured them."""
    nodes: int


Player = Callable[[Request], Reply]


class Misplayed(Exception):
    """A side has answered what is no legal move. ``str(error)`` names it, the move and the position."""


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a side has used in a game."""

    moves: int = 0
    ms: float = 0.0
    nodes: int = 0


class Game(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game that was played. Sides are 0 for A and 1 for B."""

    first: int
    """The side that began."""
    winner: int | None
    """The side that won; None for a draw."""
    reason: str
    """How it ended: a word of `Termination` or of the game."""
    moves: tuple[str, ...]
    """All of them, those of the opening too."""
    used: tuple[Use, Use]

    @property
    def points(self) -> int:
        """What A has got: 2 for a win, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (1 - self.winner)


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two games from one opening; A began the first, B the second."""

    number: int
    """Counts from 0, as the openings do."""
    games: tuple[Game, Game]

    @property
    def points(self) -> int:
        """What A has got in both games, 0 to 4."""
        return self.games[0].points + self.games[1].points


Players = tuple[Player, Player]
Budgets = tuple[Budget | None, Budget | None]


def play_pair(
    number: int, start: Position, opening: Opening, players: Players, budgets: Budgets, move_limit: int
) -> Pair:
    """Play both games of a pair; players and budgets are those of A and B. Raises `Misplayed`."""
    first, second = (
        play(2 * number + begins, begins, start, opening, players, budgets, move_limit) for begins in (0, 1)
    )
    return Pair(number, (first, second))


def play(
    number: int, first: int, start: Position, opening: Opening, players: Players, budgets: Budgets, move_limit: int
) -> Game:
    """Play one game, in which side ``first`` has what is to move at the start. Raises `Misplayed`.

    ``move_limit`` is in plies, those of the opening included. Budgets begin after the opening.
    """
    history = History.begin(start)
    for move in opening.moves:
        history = history.after(move)
    left = [None if budget is None else float(budget.game_ms) for budget in budgets]
    used = [Use(), Use()]

    def ended(winner: int | None, reason: str) -> Game:
        return Game(first, winner, reason, history.moves, (used[0], used[1]))

    while (outcome := history.verdict(move_limit)) is None:
        side = _side(first, start, history.position.turn)
        remaining, budget = left[side], budgets[side]
        reply = players[side](Request(number, history.moves, remaining))
        before = used[side]
        used[side] = Use(before.moves + 1, before.ms + reply.ms, before.nodes + reply.nodes)
        if remaining is not None and budget is not None:
            if reply.ms >= remaining:
                return ended(1 - side, Termination.TIME)
            left[side] = remaining - reply.ms + budget.increment_ms
        try:
            history = history.after(reply.move)
        except BadMove as error:
            text = history.position.text()
            raise Misplayed(f"{NAMES[side]} answered {reply.move!r}: {error}; the position is {text!r}") from None
    return ended(None if outcome.winner is None else _side(first, start, outcome.winner), outcome.termination)


def _side(first: int, start: Position, turn: int) -> int:
    """Return which side of the duel plays that side of the game."""
    return first if turn == start.turn else 1 - first
