"""Commands that find evaluations: from results of games, and from scores of searches; books; data to learn from.

- `book`: ``arena-engine book``: opening books from self-play: growing one, showing what it says, checking it
- `dask_games`: games of self-play on the workers of a dask cluster
- `example_files`: files of training data: lines of JSON, and Parquet
- `export`: ``arena-engine export``: records as training data, a row for each move
- `games_of_selfplay`: playing games of self-play by their numbers, in whatever process
- `selfplay`: ``arena-engine selfplay``: games of the engine with itself, each position scored by a search, kept in a
  file
- `train`: ``arena-engine train``: tables of patterns that explain the scores of self-play best
- `tune`: ``arena-engine tune``: the weights of an evaluation that explain the games of a duel best
"""
