"""``arena-bot match``: any players of this machine against each other, without a server to start."""
