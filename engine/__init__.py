"""Rules, notation, records, clocks, search and solving, and the protocol as data. No sockets, no wall clock.

`engine.games` has the games behind one interface, `engine.search` finds moves, `engine.solve` proves results.

- `cli`: the command line ``arena-engine``: what commands there are, and how each of them ends
- `clock`: the two clocks of a match, as pure arithmetic on stamps that others read
- `commands`: the commands of ``arena-engine``, each a function in a module of its own
- `compiling`: compiling: plain functions bound to constants, and where their compiled code is kept
- `duel`: matches between two configurations of the search, to measure which is stronger, and by how much
- `games`: the games: one interface, its implementations, and what holds for all of them
- `levels`: levels of strength: how much a weaker player may look at, and how often it plays a random move
- `record`: the record of a match: one readable text file, written line by line while the match is played
- `search`: search: finds the best move within limits of depth, nodes and time
- `shell`: the command protocols of the assignments: commands on stdin, a line each, answers on stdout
- `solve`: solving: proves who wins with perfect play, or that it is a draw
- `wire`: the network protocol without a network: bytes in, messages out
"""
