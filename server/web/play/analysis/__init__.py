"""The board to think on.

- `analyst`: the best moves of a position with their lines, exact where a tablebase knows them
- `detecting`: which game a text is of, and what it holds
- `questions`: the questions of the page, and their answers
- `routes`: these as routes of the web application
- `worker`: the process that answers them
"""
