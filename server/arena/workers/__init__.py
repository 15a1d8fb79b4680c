"""Matches in other processes, where the server runs with ``--workers``.

- `messages`: what the server and a worker process say to each other
- `pool`: the server's side: starts the processes, gives them matches, and takes matches back from one that has died
- `worker`: a worker process: hosts the matches that it is given
"""
