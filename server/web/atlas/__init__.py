"""The atlas of solved variants.

- `grids`: which variants are solved, as tables
- `routes`: the atlas, as routes of the web application
"""
