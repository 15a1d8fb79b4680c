"""Search and solving, written once over the kernel of any game.

- `binding`: functions bound to one game's kernel, interpreted or compiled, and the arrays they work on
- `forced`: the shortest forced win, by deepening
- `retrograde`: judging positions backwards from the ends of the game, as plain functions over arrays
- `reachable`: the set of positions that can be reached, which those functions fill and judge
- `solving`: who wins with perfect play, from both together
- `think`: the best move within limits of depth, nodes and time, by deepening
- `timing`: how much time a move may take
- `alphabeta`, `quiescence`: the search of one position to one depth, and how its lines end, as plain functions
- `memory`, `table`: the arrays that it works on, and how positions are found in them
"""
