"""Formats of contests: which games are to be played, and the table of a stage. Pure."""
