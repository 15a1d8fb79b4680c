"""The commands of ``arena-server``.

- `check_contest`: ``arena-server contest FILE --check``: starts every program of a contest once, and plays a short
  game with each
- `contest`: ``arena-server contest``: holds a contest, and the organiser's commands for one that is open
- `demo`: a server and two bots as separate processes, a match, watched live in the terminal
- `doctor`: the doctor: looks at everything that a server needs before it is started, and says what is wrong and what
  to do
- `exits`: how commands of the server end: with an exit status, and one line where something goes wrong
- `options`: what the commands of ``arena-server`` share: options that are read in the same way, and how they fail
- `run_contest`: ``arena-server contest``: opens a contest, serves it unless another server does, and shows how it
  goes
"""
