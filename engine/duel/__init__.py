"""Matches between two configurations of the search, to measure which is stronger, and by how much.

All of it is pure; processes, files and the terminal are the matter of `engine.commands.duel`.

- `book`: opening books: positions near the start, searched for longer than a match allows, and the moves that they tell
- `engine_config`: what a side of a duel is: limits of thinking, a table, an engine, weights, a book
- `game_file`: files of games that were played under one setting: JSON lines
- `games`: a game of a duel, and a pair of games: one opening, each side beginning once
- `openings`: from where the games of a duel begin: random legal moves, the same for the same seed on every machine
- `report`: what the pairs of a duel come to, in words
- `results`: the file of a duel's results, line by line, and what all of them come to
- `sprt`: the sequential probability ratio test: is A stronger by ``elo1`` (H1), or only by ``elo0`` (H0)?
- `statistics`: how much stronger a side is, from pairs of games: Elo, its interval, and the likelihood of superiority
- `training`: training an evaluation from scores of searches: games of the engine with itself, and what is found from
  them
- `tuning`: weights of an evaluation from the games of a duel, by logistic regression
- `weights`: positions that are evaluated with other weights: the search asks a position for its kernel, and sees only
  those
"""
