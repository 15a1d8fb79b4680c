"""The server: pairs players, referees their matches, runs contests, saves records, and serves web pages."""
