"""Search and solving, written once over the kernel of any game.

- `binding`: functions bound to one game's kernel, interpreted or compiled, and the arrays they work on
- `hints`: what a kernel may tell to make all that faster, as it is where it does not
- `forced`: the shortest forced win, by deepening
- `retrograde`: judging positions backwards from the ends of the game, as plain functions over arrays
- `reachable`: the set of positions that can be reached, which those functions fill and judge
- `layered`: judging all positions of a layer of a game at once, as plain functions over arrays
- `layers`, `layerpair`, `shelf`: layer after layer, two at a time, and where they are kept
- `prover`: who wins a game that cannot go on for ever, from two searches:
- `exhaustive`, `proof`: depth-first search to the end, and proof-number search
- `questions`: what both ask of positions, and what is known of it
- `cyclic`, `paths`: proof-number search where play can go round, and what holds for good there or on a path alone
- `entries`: the table of what forced wins and these know of positions
- `settling`: the set, the layers or the proof, whichever fits the game, behind one interface
- `solving`: who wins with perfect play, from forced wins and that
- `strategy`: what the winner plays against everything, for a certificate
- `think`: the best move within limits of depth, nodes and time, by deepening
- `advice`: the move in a game at one screen, of whatever variant
- `timing`: how much time a move may take
- `deepening`: the window of a depth, and threads that search along
- `alphabeta`, `quiescence`: the search of one position to one depth, and how its lines end, as plain functions
- `ordering`, `scores`: which moves it tries first, and what its scores mean
- `memory`, `table`: the arrays that it works on, and how positions are found in them
"""
