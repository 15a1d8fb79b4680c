"""Records on disk: one file a match, synced in groups; and logs beside them, for the authors of players."""
