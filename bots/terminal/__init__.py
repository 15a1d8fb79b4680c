"""A game, and a watched match, in the terminal."""
