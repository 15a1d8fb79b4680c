"""What is true: rules, notation, records, clocks, search, the protocol as data. No sockets, no wall clock.

- `game`, `outcome`: what every game offers, and how games end
- `catalogue`: the games, by name, each in a folder of its own that is called like it
- `compiled`, `cache`: one source for rules and speed: plain functions, bound to a board, compiled and kept
- `history`: a game so far, with the draws that only it shows
- `table`, `transcript`: a game at one screen, with moves taken back; a game as text
- `clock`: both clocks of a match, as arithmetic
- `record`: the record of a match: its text, and verifying it
- `perft`, `search`: counting, searching and solving, written once for all games
- `duel`: matches between two configurations of the search, to measure which is stronger
- `certificate`: what the winner of a solved game plays, and checking it by the rules alone
- `shell`: the stdin/stdout command protocols of the assignments
- `wire`: the network protocol without a network
- `interrupt`: Ctrl-C while a command is loaded
- `commands`, `cli`: the command line ``arena-engine``
- `command_line`: what is wrong with a command line, in a sentence, for all three programs
"""
