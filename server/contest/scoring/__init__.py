"""Scoring: results, ratings, and who is disqualified. Pure."""
