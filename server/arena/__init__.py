"""Sessions, matchmaking and requests of clients."""
