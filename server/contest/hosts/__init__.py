"""Hosts of games: this server, a local worker process, and the workers of a cluster."""
