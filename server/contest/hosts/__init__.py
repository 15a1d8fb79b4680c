"""Hosts of games: this server, and the workers of a cluster."""
