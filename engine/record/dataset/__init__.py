"""Positions, moves and records as numbers, for programs that learn."""
