"""Programs of entrants: their sandbox, their limits, and their processor cores.

- `bounded_log`: what a program writes on its standard error: its beginning and its end are kept, however much there
  is
- `command`: how a program of an entrant is called: what is filled into its command, and what it finds in its
  environment
- `pipes`: the pipes of a program as a stream
- `program`: programs of entrants: each is started for one game, and ended with all that it has started itself
- `sandbox`: the sandbox around a program: what it may see, use and call, and on which cores
"""
