"""``arena-bot match``: any players of this machine against each other, without a server to start.

- `command`: the command line, its errors and its exit statuses
- `players`: the players of a match, as they are written on the command line
- `setup`: what a match is: its players, games, openings and test, and which game comes when
- `openings`: where the games of a match begin: random moves that a seed reproduces, or a file
- `run`: holds a match: where its games are played, its live table, Ctrl-C, its files
- `games`: plays the games of a match on a host of contests
- `results_file`: the file in which results are kept, so that a match can be continued
- `tally`: results and what follows from them: score, Elo, sequential test, causes of losses
- `table`: the table of a match as text
- `output`: the result of a match as JSON and as JUnit XML

A match is a round robin of `server.contest`, played by the same hosts; its statistics are those of `engine.duel`.
"""
