"""Hosts of games: this server, a local worker process, and the workers of a cluster.

- `arena_host`: hosts games in the arena of this process, with connected players and with programs that it starts
- `cluster_host`: hosts games on the workers of a cluster, and verifies and keeps their records
- `contest_players`: the players of contests: waiting entrants, leases for games, and credentials of programs
- `core_queue`: shares the cores of the machine between the contests of a server
- `dask_cluster`: a cluster as the host sees it: its workers, their capacity, and the games that they play
- `dask_link`: the connection to a cluster of dask.distributed, used from threads
- `game_worker`: a worker process that plays one game of a contest in an arena of its own
- `host`: the interface of hosts: a host leases the players of a game, lets it be played, and returns a verified result
- `precompile`: compiles the code of the distribution's own bots before a contest, since a sandbox keeps no compiled
  code
- `seating`: seating: brings both players to a game, connected entrants and programs that it starts, each on its core
- `worker_answers`: jobs for a cluster and the verification of its answers
- `worker_job`: the job of a worker: a game to play, and the answer
"""
