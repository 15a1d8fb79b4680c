"""Sessions, matchmaking and requests of clients.

- `acceptor`: the connection acceptor: rate limit and TLS handshake, then a session
- `arena`: the state of the server: sessions, seeks and running matches
- `background`: answers that are made outside of the event loop
- `matchmaking`: the matchmaking queue: pairs players by game, parameters, time control, side and opponent
- `opponent_notices`: tells players who seek a named opponent whether that one is present
- `organiser_requests`: carries out the requests of organisers
- `past_matches`: replays matches that ended under an earlier server, for players who resume them
- `record_sync`: syncs records and database to the disk at intervals
- `requests`: carries out the requests of clients, or refuses them
- `resume`: resumes, ends or quarantines the matches that were running when the last server died
- `session`: one connection: reads its requests, sends its replies
- `stats`: statistics of a server since its start: matches by result, moves, latencies
"""
