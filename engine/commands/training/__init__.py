"""Commands that find evaluations: from results of games, and from scores of searches; books; data to learn from."""
