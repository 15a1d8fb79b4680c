"""What an encoding of a variant promises, and which one a variant has."""

from collections.abc import Callable
from functools import cache
from typing import Protocol

from engine.games.catalogue import GAMES
from engine.games.history import History
from engine.games.interface import Position, moves
from engine.record.dataset.arrows import ArrowsEncoding
from engine.record.dataset.gipf import GipfEncoding
from engine.record.dataset.mnk import MnkEncoding
from engine.record.dataset.morris import MorrisEncoding
from engine.record.dataset.planes import Planes


class Encoding(Protocol):
    """The moves and positions of a variant as numbers. All positions of the variant have the same encoding."""

    @property
    def size(self) -> int:
        """The number of actions, which are numbered from 0."""

    @property
    def actions_per_move(self) -> int:
        """The most actions that a move can take."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of planes, rows and columns."""

    @property
    def planes(self) -> tuple[str, ...]:
        """What each plane shows, in a few words."""

    def actions(self, position: Position, move: str) -> tuple[int, ...]:
        """Return a legal move, in canonical text, as actions in the order in which they are made.

        Different moves of a position have different actions, and those of one never begin with those of another.
        """

    def name(self, action: int) -> str:
        """Return an action as text for people, another one for each."""

    def observe(self, history: History, side: int, made: tuple[int, ...] = ()) -> Planes:
        """Return the present position as a side sees it, which need not be to move: its own pieces come first.

        ``made`` are the actions of the move under way that were made already, where more of them are to come.
        """


ENCODINGS: dict[str, Callable[[str], Encoding]] = {
    "gipf": GipfEncoding.of,
    "arrows": ArrowsEncoding.of,
    "morris": MorrisEncoding.of,
    "mnk": MnkEncoding.of,
}
"""What makes the encoding of a variant, by the name of the game."""


@cache
def encoding_of(game: str, parameters: str) -> Encoding:
    """Return the encoding of a variant; raises `engine.games.interface.BadParameters`."""
    return ENCODINGS[game](GAMES[game].parameters(parameters))


def legal_actions(position: Position) -> dict[tuple[int, ...], str]:
    """Return every legal move by its actions, in the game's documented order."""
    encoding = encoding_of(position.game.name, position.parameters)
    return {encoding.actions(position, move): move for move in moves(position)}
