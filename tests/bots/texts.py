"""A game of GIPF and its board, as the scripts of the tests need them."""

from engine.games.catalogue import GAMES
from engine.games.interface import Position

START: Position = GAMES["gipf"].start("4 4 15 15")


def board_of(parameters: str) -> str:
    """Return the steps by which a server shows the start of a game."""
    lines = GAMES["gipf"].start(parameters).text().splitlines()
    return "\n".join([f"< BOARD {len(lines)}", *(f"< | {line}" for line in lines)])


BOARD = board_of("4 4 15 15")


def first_moves(count: int) -> list[str]:
    """Return the moves of a game in which the first legal move is always played."""
    position, played = START, []
    for _ in range(count):
        played.append(position.legal_moves[0])
        position = position.play(played[-1])
    return played


FIRST, SECOND, THIRD = first_moves(3)
