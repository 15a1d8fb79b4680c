"""m,n,k-games: N rows, M columns, K pieces in a line win; tic-tac-toe is 3 3 3, gomoku 15 15 5.

- `parameters`: N, M and K; `geometry`: fields, lines and reflections of a board, as bits
- `rules`: placing and lines, plain functions over integers; `evaluation`: what the search wants to know
- `proving`: what a solver wants to know besides: who may still win, moves worth trying, symmetric positions
- `kernel`: all three bound to one board and one K, interpreted or compiled
- `notation`, `board`, `picture`: moves and positions as text, both ways, and drawn
- `position`: all of it behind the interface of `engine.game`
"""
