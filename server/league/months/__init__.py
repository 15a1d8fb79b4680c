"""A month of the ladder as one signed file, which anybody can verify without the server that played it.

- `checking`: recomputes records, results and ratings game by game, and says which line is not true
- `contents`: what stands in the file (plain data)
- `writing`: makes the file from a data directory
"""
