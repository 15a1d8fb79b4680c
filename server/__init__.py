"""The server: pairs players, referees their matches, runs contests, saves records, and serves web pages.

Its packages, from the lowest: `config`, `net` and `storage`, `match`, `arena`, `ops`, `contest`, `web`, `league`;
`serve` puts them together. Server and bots never import each other; `contest.programs.builtin_bots` and
`commands.demo` start bots as programs.

- `arena`: sessions, matchmaking and requests of clients
- `cli`: the command line ``arena-server``
- `commands`: the commands of ``arena-server``
- `config`: configuration: settings, the files they are read from, and the limits of the server
- `contest`: contests: from the contest file to the final report
- `league`: people with accounts, and their bots
- `match`: matches: the referee, clocks, messages to players and spectators
- `net`: the network: listeners, connections, send queue, rate limits, latency, stalls of the event loop
- `ops`: operations: logs, metrics, and the service manager
- `serve`: the server as a trio service: starts all parts, serves until stopped, and shuts down in order
- `storage`: records on disk: one file a match, synced in groups
- `web`: the pages: watching, replaying and playing in the browser
"""
