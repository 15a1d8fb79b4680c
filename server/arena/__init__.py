"""The arena: sessions, matchmaking, and what clients may ask for.

- `acceptor`: the connection acceptor: takes connections through the rate limiter, and through the handshake where
  there is one, to a session
- `arena`: the arena: who is here, who waits, which matches are played
- `background`: answers that take time: what would hold up the event loop is waited for beside it
- `matchmaking`: who waits for whom: pairing players by what they ask for
- `opponent_notices`: who waits for whom: players that seek a named opponent are told whether it is here, and again
  when that changes
- `organiser_requests`: what organisers ask for, request by request
- `past_matches`: matches that ended under an earlier server, for players who come back
- `record_sync`: brings what was written to the disk, again and again, beside the event loop
- `requests`: what clients ask for, request by request: each is carried out at once, or refused
- `resume`: after a server has died: the matches of its journals are taken up again, or ended, before anybody is let
  in
- `session`: one connection: its lines in, its replies out, and whom it stands for
- `stats`: what a server has done since it started, counted: matches and how they ended, moves, and how long things
  took
"""
