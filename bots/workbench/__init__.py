"""Tools for authors of bots that need no server."""
