"""The league: an arena that is always open, with people who have accounts."""
