"""The situations of the conformance test, by subject.

- `connecting`: situations from the connection to the first match
- `ending`: situations in which a match ends, each in another way
- `error_cases`: situations in which a request in a match is answered by ERROR: it changes nothing, and the clock runs
  on
- `playing`: situations on the board
- `reconnect_cases`: situations in which the connection is lost in a match: the bot comes back with RESUME
- `timing`: situations of the clocks
"""
