"""Contests while they are played.

- `adjudication`: adjudication: ends a game when the result of its position is proven
- `attendance`: attendance: which entrants that connect by themselves are present, and how long others have been missing
- `finished_games`: replays games that were over before this server began, from their records, in a worker process
- `ledger`: the ledger of a running contest: keeps results in the store and in memory, and repeats failed writes
- `organiser_commands`: the organiser's commands for an open contest: each is checked, and kept in the store for the
  server
- `pauses`: pauses of a contest after faults that are no entrant's: each is longer than the one before
- `plan_cache`: caches the plan of a contest while games that begin or end do not change it
- `proof`: the proof of a position's result, and whether it holds for the game of the position
- `prover_process`: the prover: a worker process that proves positions for `server.contest.runtime.adjudication`
- `runner`: plays a contest: begins each due game when its players are present, and keeps its result
- `service`: the contest service: runs all open contests of a data directory, also those that are opened later
- `snapshot`: a snapshot of a contest from the store, from which progress and reports are made
"""
