"""Training an evaluation from scores of searches: games of the engine with itself, and what is found from them.

- `factorization`: weights of patterns and of their pairs, by stochastic gradient descent
- `samples`: positions and their scores from a file of games
- `selfplay`: a game of the engine with itself, with random moves, each position scored by a search
"""
