"""The client library: `play` plays matches with a function that chooses moves.

- `address`: where a server is, and whether connections to it are encrypted
- `connection`: a blocking connection to a server: messages out, messages in
- `errors`: what can go wrong for a client
- `formatting`: times, variants and who is waited for, as people read them
- `precompile`: compiled code that is made ready beside a game: a bot never waits for the compiler while its clock
  runs
- `reconnect_backoff`: how often and for how long to try to come back after a lost connection
- `request`: what `bots.client.run.play` is asked for, checked before anything is connected: each mistake is one
  sentence
- `run`: the client library: write a function that chooses a move, and `play` does the rest
- `session`: a bot's session on a server: every message handled as it comes, the same on a first and on a resumed
  connection
- `shadowed_modules`: files beside a bot that hide a module which the arena needs: said in a sentence, where an import
  has failed
- `uncaught`: what a program shows that ends by an error of the client library, or by Ctrl-C: a sentence, no traceback
"""

from bots.client.run import play

__all__ = ["play"]
