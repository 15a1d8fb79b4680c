"""m,n,k-games: N rows, M columns, K pieces in a line win; tic-tac-toe is 3 3 3, gomoku 15 15 5.

- `board`: the text form of m,n,k positions, both ways, and what can be wrong with one
- `drawing`: a board drawn for people, with the names of columns and rows at the rim
- `evaluation`: what a position is worth, and what each of its children is, all of them at once; the hash of a position
- `geometry`: where the fields, lines and mirrored fields of a board lie, as bits
- `kernel`: the rules of m,n,k-games, and all about them, bound to one board and one K, interpreted or compiled
- `lines`: the lines of a board, counted by their pieces: those of one direction all at once
- `notation`: moves of m,n,k-games as text, both ways: ``d4``, as in renju and chess
- `parameters`: the parameters N, M and K of m,n,k-games
- `position`: m,n,k-games behind the one interface of `engine.games.interface`
- `rules`: the rules of m,n,k-games as plain functions over integers, for any board
- `solver_hints`: what a solver needs to know of a position besides: who may still win, which moves to try, what is
  symmetric
- `threats`: what threats force on an m,n,k-board: fields that win, fields that threaten to, and wins by threats alone
"""
