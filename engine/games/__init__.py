"""The games: one interface, its implementations, and what holds for all of them."""
