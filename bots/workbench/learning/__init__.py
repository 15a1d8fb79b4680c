"""Environments for programs that learn from play, and bots of what was learned."""
