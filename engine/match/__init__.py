"""A match: its referee and clocks, and its record, which is written, read, verified and reviewed."""
