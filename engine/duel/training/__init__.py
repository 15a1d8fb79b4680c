"""Training an evaluation from scores of searches: games of the engine with itself, and what is found from them."""
