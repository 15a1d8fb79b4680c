"""Who plays: programs that are clients of the server like any other.

For whoever writes a bot:

- `client`: `play` does everything but choosing a move; begin here
- `bot`: the `Bot` to subclass when one function is not enough, and what it is given
- `errors`: what can go wrong
- `wish`, `uncaught`, `hiding`: mistakes in a call, ends of a program, files that hide a module, each said in a sentence
- `random_bot`: the smallest bot, to be read and copied

How it works:

- `address`: where a server is, and whether connections to it are encrypted
- `connection`: a blocking connection, messages out and in
- `patience`: the pauses before coming back to a lost one
- `session`: a bot's session, message by message, over as many connections as it takes

What stands on it:

- `alphabeta_bot`: the reference player
- `warming`: compiled code, made ready beside a game
- `spectacle`, `scene`, `watch`: following a match: what is known of it, how it is drawn, the loop
- `play`, `play_screen`, `play_words`: a game in the terminal, against the search or somebody beside you
- `bridge`, `bridge_arrows`: a program on stdin and stdout as a bot, in either dialect; `bridge_program`: its pipes
- `check`: the conformance test for bots
- `process`: a process, ended with all that it has started
- `words`: times as people read them
- `cli`: the command line ``arena-bot``
"""
