"""Points for a class, by a rule in TOML: from reports (``arena-bot grade``), or from what a league shows of everybody."""
