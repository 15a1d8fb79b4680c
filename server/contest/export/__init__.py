"""A contest that is over as one signed file, which anybody can verify without the server that held it.

- `certifying`: certificates of adjudicated games: makes them by solving, and checks them by the rules alone
- `checking`: recomputes everything from the file, and says what is not true
- `container`: the zip archive: bytes from files, and files from bytes that nobody vouches for
- `contents`: what stands in the file, and what is left out of it (pure)
- `opening`: signature, manifest and hashes of an export, of a contest or of a month of the ladder
- `proving`: proves once more what games were adjudicated by
- `signing`: the key of a data directory, signatures, and checking them
- `writing`: makes the file from a data directory
"""
