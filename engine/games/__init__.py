"""The games: one interface, its implementations, and what holds for all of them.

- `boards`: what games on boards have in common: positions and games by a variant and a state, lines of fields,
  drawings
- `catalogue`: the games that there are, by name
- `history`: a game so far: the positions that stood on the board, and the draws that only they show
- `interactive_game`: a table at which one game is played by people and bots: who sits on each side, and moves taken
  back and made again
- `interface`: what every game offers to the rooms above: the one interface
- `outcome`: how a game ends: who won, and by which rule
- `perft`: perft: counting the leaves of the tree of moves, to prove a game's rules and to measure their speed
- `transcript`: a game as text, both ways: the position in which it began, and behind a line ``moves:`` its moves, a
  line each
"""

from engine.games.interface import moves

__all__ = ["moves"]
