"""``arena-engine duel``: the command, the processes that play, and the file of results."""
