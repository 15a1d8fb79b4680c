"""Solving: proves who wins with perfect play, or that it is a draw. `solver` is where a proof is asked for.

- `atlas`: which variants are solved, and how they end
- `backend_interface`: what every search that settles a position can do, and what it has found out
- `backends`: the searches that settle who wins however long it takes, one for each kind of game, behind one interface
- `certificate`: a certificate of a win: what the winner plays, in a form that anybody can check with the rules alone
- `forced_wins`: forced wins within a number of plies: AND/OR search, one ply deeper at a time
- `layered`: layered retrograde analysis: games whose positions fall into layers that are never left upwards
- `proof_number`: proof-number search, and depth-first search that shares its table
- `reachable`: the set of positions that can be reached from one, grown in portions within a bound on memory
- `retrograde`: exact solution: every position that can be reached, judged backwards from the ends of the game
- `solver`: solving a position: who wins with perfect play, or whether it is a draw
- `strategy`: what the winner plays against everything, from searches that know which positions are lost
- `tablebase`: tablebases: exact values of all positions of a variant, kept on the disk
"""
