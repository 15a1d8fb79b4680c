"""m,n,k-games: N rows, M columns, K pieces in a line win; tic-tac-toe is 3 3 3, gomoku 15 15 5.

- `board`: the text form of m,n,k positions, both ways, and what can be wrong with one
- `drawing`: a board drawn for people, with the names of columns and rows at the rim
- `evaluation`: what the search needs to know of a position: what it is worth, which moves force an answer, what is
  its hash
- `geometry`: where the fields, lines and mirrored fields of a board lie, as bits
- `kernel`: the rules of m,n,k-games, and all about them, bound to one board and one K, interpreted or compiled
- `notation`: moves of m,n,k-games as text, both ways: ``d4``, as in renju and chess
- `parameters`: the parameters N, M and K of m,n,k-games
- `position`: m,n,k-games behind the one interface of `engine.games.interface`
- `rules`: the rules of m,n,k-games as plain functions over integers, for any board
- `solver_hints`: what a solver needs to know of a position besides: who may still win, which moves to try, what is
  symmetric
"""
