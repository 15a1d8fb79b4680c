"""Comparisons: matches between two versions of a bot, on this machine, when nothing else is to do."""
