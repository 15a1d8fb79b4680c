"""The board to think on.

- `analyst`: the best moves of a position with their lines, exact where a tablebase knows them
- `arranging`: positions as pieces that somebody puts on a board
- `detecting`: which game a text is of, and what it holds
- `questions`: the questions of the page, and their answers
- `recording`: a game as a record of a match
- `routes`: these as routes of the web application
- `idle_worker`: the process that evaluates running games, in time that nobody else wants
- `worker`: the process that answers them
"""
