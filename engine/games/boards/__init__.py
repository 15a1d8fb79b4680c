"""What games on boards have in common."""
