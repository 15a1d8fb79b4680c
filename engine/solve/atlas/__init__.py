"""Which variants are solved, and how they end.

- `entries`: a line a variant, as `arena-engine atlas` writes them; those that belong to this distribution are in
  ``gipf.tsv``
"""
