"""Proof-number search, and depth-first search that shares its table."""
