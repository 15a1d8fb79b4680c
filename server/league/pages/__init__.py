"""Pages and forms of the league, made on the server: they need no script."""
