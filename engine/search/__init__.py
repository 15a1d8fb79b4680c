"""Search: finds the best move within limits of depth, nodes and time. Written once over the kernel of any game.

A bot can play by ``best_move(position, nodes=1000)`` alone. `searcher` is where more is asked for, `alphabeta` the
search of one position to one depth.

- `alphabeta`: alpha-beta search of one position to one depth, for every game: plain functions that `bind` binds to a
  kernel
- `binding`: the search functions bound to one game's kernel: compiled with it, or interpreted like it; and whether
  compiled ones are there
- `capabilities`: what search functions read of a game's rules, by global name, and what stands for what a game does not
  tell
- `game_engine`: advice on the move in a game, for which nobody has to wait for the compiler
- `iterative_deepening`: one depth after the other: the window in which a position is searched, and other threads that
  search it as well
- `memory`: what the alpha-beta search works on: flat arrays of numbers, and what stands where in them
- `move_ordering`: in which order children are tried: that of the table first, then by evaluation and by what has cut
  off before
- `quiescence`: the end of a line of search: the last ply, and tactical moves beyond it
- `scores`: scores of a search: evaluations in the middle, proven wins and losses at both ends, by their number of
  plies
- `searcher`: thinking about a move: iterative deepening within limits of depth, nodes and time
- `time_management`: how long to think about a move: pure arithmetic on what the clock shows
- `transposition_table`: the transposition table and the set of positions that would repeat: plain functions over flat
  arrays
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.search.game_engine import best_move

__all__ = ["best_move"]


def __getattr__(name: str) -> Any:
    """Import the search when it is asked for: solving and the shells load this package without it."""
    if name == "best_move":
        from engine.search.game_engine import best_move

        return best_move
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
