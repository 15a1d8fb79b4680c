"""Matches: the referee, clocks, messages to players and spectators.

- `board_preparation`: preparation of new boards in a thread: the tables of their rules take up to 12 ms
- `dates`: dates as the heads of records have them
- `flag_timer`: the flag timer: one task that sleeps until the next deadline of any match
- `match`: a running match: carries out the effects that the referee returns
- `match_messages`: MATCH and WATCHING, the messages that describe a match
- `move_list`: the answers to MOVES and LIST, made in small steps that do not hold up the event loop
- `recovery`: recovery of a match from the journal that a dead server left
- `remote_match`: a match that another process hosts, as far as spectators see it
- `referee`: the referee of one match: a pure function of messages and times
- `stats`: statistics of a server since its start: matches by result, moves, latencies
- `spectator_backlog`: encoded messages of a match since its start, for spectators and players who join later
- `spectator_delay`: the match as spectators see it, some moves late, so that they cannot help a player
"""
