"""Bots: clients of the server that play, without any access that other clients lack.

To write a bot, begin with `bots.client.run.play`, or subclass `bots.bot.Bot`; `bots.random_bot` is the smallest
example. `bots.alphabeta_bot` is the reference player; `bots.bridge` makes a program on stdin and stdout a bot, and
`bots.check` tests whether a bot keeps to the protocol.

- `alphabeta_bot`: the reference bot: the engine's alpha-beta search with time management
- `bot`: the class `Bot` to subclass, and the values that its methods take
- `bridge`: programs on stdin and stdout as bots
- `check`: a conformance test for bots: a small server that brings a bot into situations, and reports its faults
- `cli`: the command line ``arena-bot``: what commands there are
- `commands`: the commands of ``arena-bot``, a function each
- `client`: the client library: `play` plays matches with a function that chooses moves
- `play`: a game in the terminal, for people and bots
- `random_bot`: the smallest bot: plays a random legal move
- `workbench`: the workbench of bot authors: commands that need no server
- `watch`: the spectator: follows a match in a terminal
- `workbench`: tools for authors of bots that need no server
"""
