"""Matches: the referee, clocks, messages to players and spectators."""
