"""What holds for every game of the catalogue, and for one that is not in it.

- `stones`: a fifth game, whole, in one file; run as a program it is the arena's programs with that game
- `cases`: the games and variants that everything is tried with
"""
