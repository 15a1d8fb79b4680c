"""What games on boards have in common: positions and games by a variant and a state, lines of fields, drawings."""
