"""A game as text, both ways: the position in which it began, and behind a line ``moves:`` its moves, a line each.

Without moves it is the game's own text form of a position. Where that form has moves as well, as that of arrows, on a
line that begins with ``moves:``, these belong to the position.
"""

from engine.games.history import History
from engine.games.interface import BadMove, BadPosition, Game

MOVES = "moves:"
"""The line before the moves."""


def write(history: History) -> str:
    """Return a game as text, lines ended by newlines; `read` reads it back."""
    moves = [MOVES, *history.moves] if history.moves else []
    return history.start.text() + "".join(f"{line}\n" for line in moves)


def read(game: Game, text: str) -> History:
    """Read a game; raises `BadPosition` with the line that is wrong, for a bad move under the code of that move."""
    lines = text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.strip() == MOVES), len(lines))
    history = History.begin(game.read("".join(f"{line}\n" for line in lines[:end])))
    for number, line in enumerate(lines[end + 1 :], end + 2):
        if line.strip():
            try:
                history = history.after(line)
            except BadMove as error:
                raise BadPosition(error.code, f"move {history.plies + 1}: {error}", number) from None
    return history
