"""A contest that is over as one signed file, which anybody can verify without the server that held it."""
