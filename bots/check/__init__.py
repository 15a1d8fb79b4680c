"""A conformance test for bots: a small server that plays from situations, and says what a bot does wrong in them.

- `report`: faults, and the lines in which they are told
- `peer`: the connection to the bot: requests in, messages out, whole or in pieces
- `subject`: the bot under test: started or waited for, logged in, seeking
- `table`: one match with it: clocks, and a judge of its moves
- `situation`: a situation by name
- `resumption`: how it comes back
- `finding`: positions in which a situation arises
- `connecting`, `playing`, `timing`, `ending`, `refusing`, `returning`: the situations
- `run`: all of them, one after the other
"""
