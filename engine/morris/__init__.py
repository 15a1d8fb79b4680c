"""Nine men's morris.

- `fields`: the board, sets of fields as bits, mills and neighbours
- `rules`: placing, moving, flying and taking, plain functions over integers; `evaluation`: what the search wants to
  know; `symmetry`: one position for all that mirror it
- `kernel`: these three bound together, interpreted or compiled
- `notation`, `board`, `picture`: moves and positions as text, both ways, and drawn
- `position`: all of it behind the interface of `engine.game`
"""
