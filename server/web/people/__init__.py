"""Games that were played, and who played them: an index of the records in a database, and what pages ask of it.

- `database`: the file: its tables, and what becomes of one that is damaged or of another version
- `indexing`: brings it up to the records, some at a time
- `search`: what is asked for, and pages of games
- `profiles`: what the page of a player shows
- `strengths`: ratings of all players of a game
- `rating_history`: those of one player over time, which the index keeps
- `positions`: keys of the positions of the first moves of games
- `explorer`: what was played in a position, and how it went
- `process`: the worker processes that index and answer
- `routes`: the routes, and when records are indexed
"""
