"""GIPF in every generalised variant L = (S, K, GW, GB).

- `parameters`: L; `geometry`: where the fields lie, as bits
- `rules`: pushes and rows, plain functions over integers; `evaluation`: what the search wants to know; `symmetry`: one
  position for all that mirror it
- `proving`: which moves a solver tries first, and how far off the end is
- `ranking`: a number for every position of a small board; `layers`: positions with the same numbers of pieces left
- `kernel`: rules and evaluation bound to one board, interpreted or compiled
- `notation`, `board`, `picture`: moves and positions as text, both ways, and drawn
- `position`: all of it behind the interface of `engine.game`
- `choosing`: rows chosen one after the other, for whoever points at them
"""
