"""``arena-bot grade``: points for a class, from contests, matches and conformance tests, by a rule in TOML."""
