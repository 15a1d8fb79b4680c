"""A game in the terminal, for people and bots.

- `input_words`: what is typed at the table of `bots.play.terminal_game`
- `screen`: what the table of `bots.play.terminal_game` looks like in a terminal, and how lines are read from one
- `terminal_game`: a game at one screen: people and bots play in a terminal, or from whatever is piped in
"""
