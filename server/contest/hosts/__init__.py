"""Hosts of games: this server, a local worker process, and the workers of a cluster.

- `arena_host`: hosts games in an arena of this process, with players that connect to it and programs that it starts
- `cluster_host`: hosts games on the workers of a cluster: their records come back, are verified, and are kept here
- `contest_players`: the players of contests: which players are there for contests, and which seats are kept for
  programs
- `core_queue`: whose turn it is to take cores: all contests of a server share those of the machine
- `dask_cluster`: a cluster that games are given to: which workers there are, what each has room for, and what becomes
  of the games
- `dask_link`: a cluster of dask.distributed, seen from threads: its workers, and functions that are called on them
- `game_worker`: a process that plays one game of a contest in an arena of its own, on whatever machine it is started
- `host`: the contract of a host: it leases the players of a game, has it played, and returns a result that is true
- `precompile`: compiles, before a contest, what this distribution's own bots need: in a sandbox nothing that is
  compiled is kept
- `seating`: brings both players of a game to the table: entrants that connect by themselves, and programs, each on
  its core
- `worker_answers`: what a cluster can play, what it is given, and whether what comes back is true
- `worker_job`: a game that is given away: what a worker of a cluster is told and answers, and what it does
"""
