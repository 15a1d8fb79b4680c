"""Commands that find evaluations: from results of games, and from scores of searches.

- `selfplay`: ``arena-engine selfplay``: games of the engine with itself, each position scored by a search, kept in a
  file
- `train`: ``arena-engine train``: tables of patterns that explain the scores of self-play best
- `tune`: ``arena-engine tune``: the weights of an evaluation that explain the games of a duel best
"""
