"""m,n,k-games: N rows, M columns, K pieces in a line win; tic-tac-toe is 3 3 3, gomoku 15 15 5."""
