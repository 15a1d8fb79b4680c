"""Sessions, matchmaking and requests of clients.

- `acceptor`: the connection acceptor: rate limit and TLS handshake, then a session
- `arena`: the state of the server: sessions, seeks and running matches
- `matchmaking`: the matchmaking queue: pairs players by game, parameters, time control, side and opponent
- `opponent_notices`: tells players who seek a named opponent whether that one is present
- `organiser_requests`: carries out the requests of organisers
- `past_matches`: replays matches that ended under an earlier server, for players who resume them
- `record_sync`: syncs records and database to the disk at intervals
- `requests`: carries out the requests of clients, or refuses them
- `roles`: what the arena needs of sessions, of contests, and of processes that host matches
- `resume`: resumes, ends or quarantines the matches that were running when the last server died
- `session`: one connection: reads its requests, sends its replies
- `workers`: matches in other processes, where the server runs with ``--workers``
"""
