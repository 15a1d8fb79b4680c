"""A game of a duel, and a pair of games: one opening, each side beginning once.

The players are passed in: functions that take a `Request` and return a `Reply`. A game ends as the rules, a
repetition, a lack of progress or the move limit end it; nothing else does.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from engine.games.history import History
from engine.games.interface import Position

NAMES = ("A", "B")
"""Names of the sides of a duel."""


class Request(NamedTuple):
    """A request for the next move of a game."""

    game: int
    """A number that no other game of the duel has."""
    history: History


class Reply(NamedTuple):
    """A move, with its cost."""

    move: str
    ms: float
    """Milliseconds from the request to the answer."""
    nodes: int


Player = Callable[[Request], Reply]


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Moves, time and nodes of one side in a game."""

    moves: int = 0
    ms: float = 0.0
    nodes: int = 0


class Game(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game. Sides are 0 for A and 1 for B."""

    first: int
    """The side that began."""
    winner: int | None
    """The side that won; None for a draw."""
    reason: str
    """The end of the game: a word of `Termination` or of the game."""
    moves: tuple[str, ...]
    """All moves, including the opening."""
    used: tuple[Use, Use]

    @property
    def points(self) -> int:
        """Points of A: 2 for a win, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (1 - self.winner)


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two games from one opening; A began the first, B the second."""

    number: int
    """Counts from 0, as the openings do."""
    games: tuple[Game, Game]

    @property
    def points(self) -> int:
        """Points of A in both games, 0 to 4."""
        return self.games[0].points + self.games[1].points


Players = tuple[Player, Player]


def play_pair(number: int, start: Position, opening: Sequence[str], players: Players, move_limit: int) -> Pair:
    """Play both games of a pair; players are in the order A, B."""
    first, second = (play(2 * number + begins, begins, start, opening, players, move_limit) for begins in (0, 1))
    return Pair(number, (first, second))


def play(
    number: int,
    first: int,
    start: Position,
    opening: Sequence[str],
    players: Players,
    move_limit: int,
) -> Game:
    """Play one game, in which side ``first`` has the side to move of the start.

    ``move_limit`` is in plies, including the opening.
    """
    history = History.begin(start)
    for move in opening:
        history = history.after(move)
    used = [Use(), Use()]
    while (outcome := history.verdict(move_limit)) is None:
        side = _side(first, start, history.position.turn)
        reply = players[side](Request(number, history))
        before = used[side]
        used[side] = Use(before.moves + 1, before.ms + reply.ms, before.nodes + reply.nodes)
        history = history.after(reply.move)
    winner = None if outcome.winner is None else _side(first, start, outcome.winner)
    return Game(first, winner, outcome.termination, history.moves, (used[0], used[1]))


def _side(first: int, start: Position, turn: int) -> int:
    """Return which side of the duel plays that side of the game."""
    return first if turn == start.turn else 1 - first
