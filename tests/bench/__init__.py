"""Figures: ``make bench``. Compares side by side in one run, since machines differ and are shared.

- `perft`: the engine's perft, beside one in C++ and the interpreted rules
- `load`: a lean client that plays many matches at once; `relay`: a bare trio relay to hold the server against
- `server`: validated, journalled and relayed moves a second, and how long a move takes to the opponent
- `browsers`: browsers that watch a match; `web`: what 500 of them cost the other matches
- `mutants`: mutation testing of the fast tests, run by itself: ``python -m tests.bench.mutants``
"""
