"""Which programs of a class resemble each other: a list for people to look at, never a verdict.

- `source_files`: the source files of each program, from folders and zip files
- `tokens`: source text as a sequence of normalised tokens, each with its line
- `fingerprints`: what stands for a program: some of the hashes of its runs of tokens (winnowing)
- `comparison`: pairs of programs by the fingerprints that they share, and the places of these
- `report`: the list as text, JSON and a page (`similar.html.jinja`)
"""
