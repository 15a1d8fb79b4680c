"""A month of the ladder as one signed file, which anybody can verify without the server that played it.

- `checking`: recomputes records, results and ratings game by game, and says which line is not true
- `chosen`: reads how the games were chosen
- `contents`: what stands in the file (plain data)
- `pairings`: makes each choice of games again
- `writing`: makes the file from a data directory
"""
