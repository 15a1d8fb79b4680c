"""Matches between two configurations of the search, to measure which is stronger, and by how much."""
