"""Programs that the server starts: their sandbox, limits, processor cores and pipes."""
