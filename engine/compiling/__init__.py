"""Compiling: plain functions bound to constants, and where their compiled code is kept.

- `binding`: one source for rules and speed: copies of plain functions, bound to constants and, where asked, compiled
- `bits`: arithmetic on bits that the rules of several games have in common, interpreted and compiled alike
- `code_cache`: where compiled code is kept: a folder a binding, in the user's cache directory
- `compile_process`: a process that compiles beside another one: what it makes is found on the disk afterwards
- `compile_lock`: a lock per folder, so that processes that start together compile once
- `field_sets`: sets of fields as integers, and how rules keep them in arenas
- `machine_code`: machine code as files, loaded without numba, and compiled code that comes with the distribution
- `wide_integers`: sets of fields on boards of more than 63 fields: integers of several machine words
- `wide_lowering`: what numba is told of them; imports numba
- `vector_lowering`: operations on them that carry nothing from word to word, on all words at once; imports numba
"""
