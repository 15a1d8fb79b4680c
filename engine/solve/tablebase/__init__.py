"""Tablebases: exact values of all positions of a variant, kept on the disk, by which bots and pages play perfectly."""
