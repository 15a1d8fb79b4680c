"""What happens: listeners, sessions, matches, records on disk.

- `settings`: what an organiser can set, and the bounds
- `referee`, `lobby`: pure decisions: a match, and who plays whom
- `hall`: everything that the server knows; answers requests at once
- `contest`: pure decisions on contests: what is played, and what the games say
- `match`: a match while it is played: carries out what the referee decides
- `session`, `connection`, `outbox`: a peer: its lines, its bytes, and when they go out
- `flags`, `loopwatch`: when flags fall, and when bytes arrived
- `archive`: the records on disk
- `recovery`, `restart`: what becomes of the matches that were running when a server died
- `house`: the server's own bots, as processes
- `serve`: the service, from listening to stopping
- `demo`: a server and two bots on this machine, watched
- `tokens`, `logs`, `cli`: the token file, log lines, and the command line ``arena-server``

Server and bots never import each other; `house` and `demo` start bots as programs.
"""
