"""Matches in other processes, where the server runs with ``--workers``."""
