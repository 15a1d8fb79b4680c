"""The atlas of solved variants.

- `downloads`: files to be downloaded, piece by piece from the disk: in bounded numbers, and charged to an address
- `grids`: which variants are solved, as tables
- `routes`: the atlas, as routes of the web application
- `tables`: which tablebases a server has, and their files to be downloaded, with checksums
"""
