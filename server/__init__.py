"""What happens: listeners, sessions, matches, records on disk.

- `settings`: what an organiser can set, and the bounds
- `referee`, `lobby`: pure decisions: a match, and who plays whom
- `awaiting`: who waits for whom, and is told whether that player is here
- `hall`: everything that the server knows
- `requests`, `organiser_requests`: what players and organisers ask for, carried out at once
- `contest`: pure decisions on contests: what is played, and what the games say
- `organise`: contests while they are held: programs, storage, adjudication
- `report`: what a contest has come to, as text, JSON, CSV and a page
- `match`: a match while it is played: carries out what the referee decides
- `telling`, `story`, `retelling`: what is told of a match as a whole, also of one that ended under an earlier server
- `listing`, `later`: legal moves some at a time, and other answers that take time; `preparing`: boards that are new
- `delay`: a match as spectators see it, some moves late
- `ending`: exit statuses of commands, and how they fail in one line
- `door`, `entrance`, `gate`, `limits`, `tls`: who is let in, how much may be asked for, and encryption
- `session`, `connection`, `outbox`: a peer: its lines, its bytes, and when they go out
- `loop`: the event loop's clock, and what looks on while it turns
- `flags`, `loopwatch`, `lag`: when flags fall, when bytes arrived, and how long their way was
- `archive`: the records on disk
- `numbers`, `unsynced`, `syncing`: what a power cut would take away, and how it gets to the disk
- `recovery`, `restart`: what becomes of the matches that were running when a server died
- `web`: the pages: lobby, matches, contests, play
- `house`: the server's own bots, as processes; `again`: pauses before what fails is tried again
- `serve`: the service, from listening to stopping
- `demo`: a server and two bots on this machine, watched
- `tally`, `metrics`, `service_manager`: what was done, counted and shown to those who watch over the server
- `configuration`, `table`: the configuration file, and tables of TOML
- `doctor`: what is wrong before the server is started
- `tokens`, `logs`: the token file, and log lines
- `cli`, `contest_commands`, `command_line`: the command line ``arena-server``, its contests, what its commands share

Server and bots never import each other; `house` and `demo` start bots as programs.
"""
