"""The client library: `play` plays matches with a function that chooses moves."""

from bots.client.run import play

__all__ = ["play"]
