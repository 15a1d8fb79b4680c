"""The commands of ``arena-engine``, each a function in a module of its own; `engine.cli` lists them.

Answers go to stdout, everything else to stderr. Here alone in the engine a wall clock is read.

- `analyse`: ``arena-engine analyse``: what the search thinks of a position, depth by depth
- `duel`: ``arena-engine duel``: the command, the processes that play, and the file of results
- `inputs`: games and positions as command lines name them, and what is wrong with them
- `perft`: ``arena-engine perft``: counts the leaves of the tree of moves, depth by depth
- `precompile`: ``arena-engine precompile``: compiles what other commands and bots load later, which otherwise begin
  interpreted
- `program`: what each of the three programs has beside its commands: completion in shells, Ctrl-C while it is loaded
- `record`: ``arena-engine record``: replays the record of a match, and verifies every move, every clock and the
  result
- `reports`: reports of tests and points in the formats of CI systems and graders, for all three programs
- `shell`: ``arena-engine shell``: the command protocols of the assignments, on stdin and stdout
- `solving`: commands that find out who wins with perfect play: ``arena-engine solve``, ``check`` and ``atlas``
- `training`: commands that find evaluations: from results of games, and from scores of searches
- `usage_errors`: what is wrong with a command line, or with a file that it names, in one plain sentence: for all
  three programs
"""
