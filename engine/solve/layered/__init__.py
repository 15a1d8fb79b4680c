"""Layered retrograde analysis: games whose positions fall into layers that are never left upwards.

- `pair`: a layer and the one that its moves lead to, solved together as `engine.solve.layered.values` says, with
  threads
- `solver`: solving layer after layer, from the smallest on, up to the one that a position lies in
- `store`: where solved layers are kept: in memory, or in a directory, from which they are read again
- `values`: exact solution of games in layers: every position of a layer has a place, and all of them are judged
  backwards
"""
