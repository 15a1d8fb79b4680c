"""Positions, moves and records as numbers, for programs that learn.

A move is one action or several, made one after the other, each a number below `Encoding.size`; a position is a stack of
planes. Both have a fixed size for each variant. There is one definition of them, for the environments of
`bots.workbench.learning` and for ``arena-engine export``; docs/learning.md has the tables.

- `encoding`: what an encoding promises, and the encoding of a variant
- `gipf`, `arrows`, `morris`, `mnk`: the encodings of the games
- `examples`: the moves of a record, each with what its player saw, and how the match ended for it
- `planes`: sets of fields as arrays
"""
