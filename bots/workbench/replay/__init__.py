"""A bot in the turns of a match that was played: what it answers now."""
