"""Programs on stdin and stdout as bots."""
