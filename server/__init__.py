"""The server: listens, seats players, referees their matches, runs contests, keeps records, and shows it all.

Its rooms, from the lowest: `config`, `net` and `storage`, `match`, `arena`, `ops`, `contest`, `web`; `serve` puts them
together. Server and bots never import each other; `builtin_bots` and `commands.demo` start bots as programs.

- `arena`: the arena: sessions, matchmaking, and what clients may ask for
- `builtin_bots`: built-in bots: processes that the server starts, so that a newcomer finds an opponent at once
- `cli`: the command line ``arena-server``
- `commands`: the commands of ``arena-server``
- `config`: configuration: settings, the files they are read from, and the limits of the server
- `contest`: contests: from the contest file to the final report
- `match`: matches: the referee, its clocks, and what players and spectators are told
- `net`: the network: listeners, connections, send queues, rate limits, and the time that the event loop costs
- `ops`: operations: logs, metrics, and the service manager
- `serve`: the service: listens, serves every connection, keeps the flags, and stops in order
- `storage`: records on disk: one file a match, synced in groups
- `web`: the pages: watching, replaying and playing in the browser
"""
