"""Programs that the server starts, those of entrants above all: their sandbox, their limits, and their processor cores."""
