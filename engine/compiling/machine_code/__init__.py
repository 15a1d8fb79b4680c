"""Machine code of compiled functions: as files, and as what comes with the distribution.

- `object_code`: machine code of a binding's functions, kept as one file: loaded in some milliseconds, without numba
- `object_writer`: writes compiled functions as one piece of machine code; imports numba
- `shipped_code`: compiled code of usual variants, of which a machine makes machine code in a moment, without numba
"""
