"""Search: the best move within limits of depth, nodes and time, for the kernel of any game."""
