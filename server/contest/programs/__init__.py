"""Programs of entrants: their sandbox, their limits, and their processor cores.

- `command`: the command line and the environment of an entrant's program
- `pipes`: the pipes of a program as a stream
- `program`: runs programs of entrants: starts each for one game, and ends it with all its processes
- `sandbox`: the sandbox around a program: what it may see, use and call, and on which cores
"""
