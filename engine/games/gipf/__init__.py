"""GIPF in every generalised variant L = (S, K, GW, GB).

- `board`: the text form of GIPF positions, both ways, and what can be wrong with one
- `drawing`: a GIPF board drawn for people, with the ring of dots and their names
- `evaluation`: what the search needs to know of a GIPF position: is it over, what is it worth, what is its hash
- `geometry`: where the fields of a hexagonal GIPF board lie, as bits, for any board size
- `kernel`: the rules and the evaluation of GIPF bound to one board, interpreted or compiled
- `notation`: moves of GIPF as text, both ways: ``a5-b5``, ``a5-b5 b: e5 h2`` (notation as in Gipf for One)
- `parameters`: the parameters L = (S, K, GW, GB) of generalised GIPF
- `patterns`: the evaluation of GIPF by patterns: what each line of the board holds is looked up in tables that were
  trained
- `position`: GIPF behind the one interface of `engine.games.interface`
- `row_choices`: choosing rows one after the other: what a push and the choices so far have come to, and what is left
  to choose
- `rules`: the rules of GIPF as plain functions over integers, for any board
- `solving`: solving GIPF: hints for solvers, positions that mirror each other, the number of a position, and layers of
  positions
"""
