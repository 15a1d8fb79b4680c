"""Arrows: two players lay trails of arrows, and who cannot place the next one loses.

- `parameters`: the set-up of a board; `geometry`: where the fields lie, as bits
- `rules`: moves, plain functions over integers; `evaluation`: what the search wants to know
- `endgame`: who wins when both sides have parted
- `kernel`: rules and evaluation bound once for all boards, interpreted or compiled
- `board`, `picture`: positions as text, both ways, and drawn
- `position`: all of it behind the interface of `engine.game`
"""
