"""A month of the ladder as one signed file, which anybody can verify without the server that played it."""
