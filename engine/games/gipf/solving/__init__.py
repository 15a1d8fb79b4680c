"""Solving GIPF: positions that mirror each other, the number of a position, and layers of positions."""
