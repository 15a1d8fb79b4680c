"""Duels between two configurations of the search, which measure their difference in strength, and training."""
