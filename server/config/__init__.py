"""Configuration: settings, the files they are read from, and the limits of the server."""
