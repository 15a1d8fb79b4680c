"""The pairing of ladder games."""
