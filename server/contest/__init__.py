"""Contests: from the contest file to the final report."""
