"""The spectator: follows a match in a terminal."""
