"""Contests while they are played.

- `adjudication`: games of a contest end with the result that their position is proven to have
- `attendance`: which entrants that connect by themselves are there for their games, and for how long others have been
  missing
- `finished_games`: games that were over before this server began, by their records
- `ledger`: what is kept of a contest that is played: first in the store, then for its plan, as often as it takes
- `organiser_commands`: the organiser's commands for a contest that is open: each is checked, and kept in the store,
  where a server finds it
- `pauses`: faults that are no entrant's: a contest pauses for longer each time, says why, and goes on
- `plan_cache`: which games of a contest are due, for as long as what is played changes nothing in that
- `proof`: what exact solving says of a position, and whether it holds for the game that the position stands in
- `prover_process`: a process that proves positions for `server.contest.runtime.adjudication`, so that the server
  never waits for it
- `runner`: plays a contest: what is due begins as soon as its players are there, and is kept when it is over
- `service`: the contest service: holds the contests of a data directory while the server runs, those that were opened
  later too
- `snapshot`: how a contest stands, as the store tells it: what progress and reports are made of
"""
