"""The commands of ``arena-engine``, each a function in a module of its own; `engine.cli` lists them.

- `inputs`: games and positions as command lines name them, and what is wrong with them
- `perft`: counts the leaves of the tree of moves
- `solve`: finds out who wins
- `check`: verifies a certificate of a win
- `atlas`: finds it out for many variants, and keeps the results
- `analyse`: what the search thinks of a position
- `duel`: measures one configuration of the search against another, with
- `duel_processes`, `duel_player`, `duel_file`: the processes that play, what runs in them, and the file of results
- `tune`: finds weights of the evaluation from the games of a duel
- `record`: replays and verifies the record of a match
- `shell`: the command protocols of the assignments

Answers go to stdout, everything else to stderr. Here alone in the engine a wall clock is read.
"""
