"""``arena-bot grade``: points for a class, from contests, matches and conformance tests, by a rule in TOML.

- `command`: the command line, and what it writes where
- `evidence`: what reports show of each player: situations passed, games, pairs of games, places
- `grading`: what evidence is worth by a rule (pure)
- `output`: grades as a table of text, CSV, JSON, JUnit's XML, Gradescope's points and a page by
  `grades.html.jinja` (pure)
- `rule`: the rule file: TOML in, a `Rule` out, or one sentence about what is wrong with it
"""
