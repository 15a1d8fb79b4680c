"""Programs that attack: other entrants, the contest, the server and its machine."""
