"""A conformance test for bots: a small server that plays from situations, and says what a bot does wrong in them.

- `bot_under_test`: the bot under test: started or waited for, logged in, seeking
- `cases`: the cases of the conformance test, by subject
- `conformance_match`: one match with the bot under test: its messages, its clocks, and a judge of the bot's moves
- `peer`: the connection to the bot under test, seen from the server's end
- `position_search`: positions in which a situation arises: a few that are known, others found by playing at random,
  always the same
- `report`: what is wrong with a bot, and the lines in which it is told
- `resumption`: a bot that comes back after a lost connection
- `run`: all situations, one after the other
- `situation`: a situation: its name, and the function that brings the bot into it
"""
