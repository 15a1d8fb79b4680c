"""Points for a class, by a rule in TOML."""
