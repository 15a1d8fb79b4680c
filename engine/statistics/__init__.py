"""Strength of players from results of games: Elo, intervals, a sequential test, ratings."""
