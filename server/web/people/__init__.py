"""Games that were played, and who played them: an index of the records in a database, and what pages ask of it."""
