"""A bot for the arena in Python, with the arena's client library.

It takes one of the legal moves with the longest text, at random. In GIPF and morris that is often one that captures.

Start it by python with the name of this file. ARENA_HOST, ARENA_PORT, ARENA_NAME, ARENA_GAME and so on say where it
plays, as whom and what: contests, matches and the conformance test set them. Without them it plays GIPF on the server
of this machine.
"""

from random import choice

from bots.client import Clocks, Position, play


def choose(position: Position, clocks: Clocks) -> str:
    """Return the move to play; clocks.mine_ms is the time left for the rest of the game, in milliseconds."""
    legal = position.legal_moves
    longest = max(len(move) for move in legal)
    clocks.note(text=f"one of the longest of {len(legal)} moves")
    return choice([move for move in legal if len(move) == longest])


if __name__ == "__main__":
    play(choose)
