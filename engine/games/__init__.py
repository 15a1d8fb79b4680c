"""The games: one interface, its implementations, and what holds for all of them."""

from engine.games.interface import moves

__all__ = ["moves"]
