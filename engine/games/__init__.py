"""The games: one interface, its implementations, and functions for all of them."""
