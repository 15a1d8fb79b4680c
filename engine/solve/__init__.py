"""The solver: proves the result of perfect play. Its entry is `solver`."""
