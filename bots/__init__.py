"""Programs that play: clients of the server like any other, in this language and in all others.

Whoever writes a bot begins with `bots.client.run.play`, or subclasses `bots.bot.Bot`, and reads `bots.random_bot`, the
smallest one. `bots.alphabeta_bot` is the reference player; `bots.bridge` makes a program on stdin and stdout a bot, and
`bots.check` tests whether a bot keeps to the protocol.

- `alphabeta_bot`: the reference player: the engine's alpha-beta search, and its arithmetic of time
- `bot`: what a bot is: the class to subclass, and the small values that it is given
- `bridge`: programs on stdin and stdout as bots
- `check`: a conformance test for bots: a small server that plays from situations, and says what a bot does wrong in
  them
- `cli`: the command line ``arena-bot``
- `client`: the client library: `play` plays matches with a function that chooses moves
- `play`: a game in the terminal, for people and bots
- `random_bot`: the smallest bot that plays by the rules: any legal move will do
- `watch`: the spectator: follows a match in a terminal
"""
