"""The database of contests, and its verification against the records."""
