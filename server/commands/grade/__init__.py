"""``arena-bot grade``: points for a class, from contests, matches and conformance tests, by a rule in TOML.

- `command`: the command line, and what it writes where; the rest is `server.league.grading`
"""
