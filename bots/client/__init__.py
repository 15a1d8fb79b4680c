"""The client library: `play` plays matches with a function that chooses moves.

- `answers`: what a bot answers: its move, and its notes
- `connection`: a blocking connection to a server: sends and receives messages
- `errors`: the exceptions of the client library
- `failures`: how failures are told: where a bot has failed in one line, and uncaught errors without a traceback
- `formatting`: times, variants and awaited opponents as text
- `given`: where an argument of `play` comes from: the call, or the environment of a bot that was started
- `reconnect_backoff`: growing pauses between attempts to reconnect
- `request`: validation of the arguments of `play`, before a connection is made
- `run`: the client library: write a function that chooses a move, and `play` does the rest
- `session`: a bot's session on a server, across lost and resumed connections
- `shadowed_modules`: detection of files in a bot's folder that shadow modules of the arena
- `transport`: the way to a server: its address, and streams of bytes to it
"""

from bots.client.run import play

__all__ = ["play"]
