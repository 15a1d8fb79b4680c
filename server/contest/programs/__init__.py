"""Programs that the server starts, those of entrants above all: their sandbox, their limits, and their processor cores.

- `builtin_bots`: the server's own bots: processes that wait for opponents, so that a newcomer finds one at once
- `command`: the command line and the environment of an entrant's program
- `pipes`: the pipes of a program as a stream
- `program`: runs programs of entrants: starts each for one game, and ends it with all its processes
- `sandbox`: the sandbox around a program: what it may see, use and call, and on which cores
"""
