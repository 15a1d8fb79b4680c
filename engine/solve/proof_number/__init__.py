"""Proof-number search, and depth-first search that shares its table.

- `acyclic`: perfect play in games that cannot go on for ever: who wins, or whether it is a draw
- `cyclic`: proof-number search where play can go round: who can force a win, or whether neither side can
- `depth_first`: depth-first search to the end of the game, move after move in the order in which the kernel gives
  them
- `df_pn`: depth-first proof-number search (df-pn): it goes on where the least is missing to settle a question
- `goals`: does one side reach its aim? The question that searches for proofs ask of positions, and what is known of
  it
- `path_results`: what is known of a question where play can go round: some of it for good, some of it only on a path
- `proof_table`: a table of what is known about questions to positions, for solvers: no entry is taken for another's
"""
