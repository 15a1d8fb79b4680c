"""What a bot answers: its move, and its notes."""
