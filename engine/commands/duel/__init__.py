"""``arena-engine duel``: the command, the processes that play, and the file of results.

- `command`: ``arena-engine duel``: how much stronger one configuration of the search is than another, from games
  between them
- `engine_process`: a side of a duel, as a process of its own: finds moves with whatever version of the engine is
  first on its path
- `processes`: the processes of a duel: one a side and job, each asked over a pipe, and a thread a job that plays
  pairs with two
- `results_file`: files of games that grow by a line at a time, and are gone on with; the one that a duel's results
  are kept in
"""
