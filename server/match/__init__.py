"""Matches: the referee, its clocks, and what players and spectators are told.

- `board_preparation`: boards that are new to the server are prepared beside the event loop: the tables of their rules
  take up to 12 ms
- `flag_timer`: flags fall when the time is over: one task that sleeps until the next deadline of any match
- `match`: a match while it is played: carries out what the referee decides
- `match_messages`: what players and spectators are told of a match as a whole: that there is one, and all of it when
  it is over
- `move_list`: the answers to MOVES and LIST, made some lines at a time: the legal moves of a position, and all
  matches
- `recovery`: what the journal of a match that a server did not end comes to
- `referee`: the referee of one match: a pure function of what the players say and when
- `spectator_backlog`: what was shown of a match since it began, encoded as it goes along: who comes later is told all
  of it at once
- `spectator_delay`: what spectators see of a match that is shown to them some moves late, so that they cannot help a
  player
"""
