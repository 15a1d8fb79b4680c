"""Solving GIPF: positions that mirror each other, the number of a position, and layers of positions.

- `layers`: layers of GIPF's positions: those with the same total of pieces, on the board and in reserve, of each side
- `ranking`: a number for every position of GIPF, the same for all that mirror each other, when the reserves are left
  aside
- `solver_hints`: what a solver needs to know of a position besides: which moves to try first, and how far off the end
  is at least
- `symmetry`: positions of GIPF that mirror each other, and the one that stands for them all
"""
