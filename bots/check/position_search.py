"""Search for positions of a situation: known ones, or ones found by reproducible random play."""

from collections.abc import Callable
from random import Random

from bots.check.report import Skipped
from engine.games.catalogue import GAMES
from engine.games.interface import Game, GameError, Position, Successor
from engine.games.outcome import Outcome
from engine.wire.words import word_of

MAX_POSITIONS = 3000
"""Positions that are tried before a situation is skipped."""

RING = """2 3 9 9
{white} {black} {turn}
 {piece} {piece}
{piece} _ {piece}
 {piece} {piece}
"""
"""Whatever is pushed into the middle leaves three rows that cross, or two."""

FORCED = {
    "morris": ("0 0 W\n_BWBWWB_B__BWWB_B_B_____\n", "0 0 B\n_WBWBBW_W__WBBW_W_W_____\n"),
    "mnk": ("3 3 3 1\n1 2 1\n1 2 2\n2 1 0\n", "3 3 3 2\n1 2 1\n1 2 2\n2 1 0\n"),
}
"""Positions with one legal move, of either side. Arrows has none, nor GIPF, where six pushes reach every free field."""

Wanted = Callable[[Position, list[Successor]], bool]
"""Tells whether a position, with its legal moves, is suitable."""


def crossing_rows(owner: int, turn: int) -> Position:
    """Return a position of GIPF in which every legal move takes a choice among rows of the owner, 0 or 1."""
    left = (3, 9) if owner == 0 else (9, 3)
    text = RING.format(white=left[0], black=left[1], turn="WB"[turn], piece="WB"[owner])
    return GAMES["gipf"].read(text)


def forced_move(game: Game, turn: int) -> Position | None:
    """Return a position with one legal move, None for a game that has none."""
    return game.read(FORCED[game.name][turn]) if game.name in FORCED else None


def find(game: Game, parameters: str, side: int, wanted: Wanted) -> Position:
    """Return the first suitable position with a side to move; raises `Skipped` if none is found."""
    chance = Random(0)
    position = game.start(parameters)
    for _ in range(MAX_POSITIONS):
        successors = list(position.successors())
        if not successors:
            position = game.start(parameters)
            continue
        if position.turn == side and wanted(position, successors) and _can_be_shown(position):
            return position
        position = chance.choice(successors).position
    raise Skipped(f"no such position of {game.name} {word_of(parameters)} was found")


def always_ends(_position: Position, successors: list[Successor]) -> bool:
    """Tell whether every legal move ends the game."""
    return all(successor.position.verdict() is not None for successor in successors)


def can_win(position: Position, successors: list[Successor]) -> bool:
    """Tell whether there is a winning move."""
    return any(wins(position, successor) for successor in successors)


def wins(position: Position, successor: Successor) -> bool:
    """Tell whether a move wins for the side that makes it."""
    outcome: Outcome | None = successor.position.verdict()
    return outcome is not None and outcome.winner == position.turn


def may_choose(owner: int) -> Wanted:
    """Return a test for a GIPF move with a choice among rows of the owner, 0 or 1."""
    return lambda _position, successors: any(chooses(successor, owner) for successor in successors)


def chooses(successor: Successor, owner: int) -> bool:
    """Tell whether a move of GIPF names a row of the owner."""
    return f" {'wb'[owner]}: " in successor.move


def _can_be_shown(position: Position) -> bool:
    """Tell whether the position can be rebuilt from its text."""
    try:
        return bool(position.game.read(position.text()).key == position.key)
    except GameError:
        return False
