"""Matches between two configurations of the search, to measure which is stronger, and by how much.

- `sides`: what a text such as ``nodes=5000,table=16`` says of a side
- `weighed`: positions that are evaluated with other weights
- `openings`: from where games begin: random, distinct, balanced, and the same for the same seed
- `games`: a game, and a pair of games with colours swapped, between two that answer requests
- `statistics`: Elo, its interval and the likelihood of superiority, from pairs of games
- `sprt`: the sequential probability ratio test over pairs
- `results`: the file of results, line by line, and the sum of them
- `report`: that sum in words
- `tuning`: weights of the evaluation that explain the games of a duel

All of it is pure; processes, files and the terminal are the matter of `engine.commands.duel`.
"""
