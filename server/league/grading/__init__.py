"""Points for a class, by a rule in TOML: from reports (``arena-bot grade``), or from what a league shows of everybody.

- `evidence`: what reports show of each player: situations passed, games, pairs of games, places
- `grade_book`: the grades of a league: made, kept, published
- `grading`: what evidence is worth by a rule (pure)
- `league_evidence`: what a league shows of its bots: versions, games of the ladder, a contest
- `output`: grades as a table of text, CSV, JSON, JUnit's XML, Gradescope's points and a page by
  `grades.html.jinja` (pure)
- `rule`: the rule file: TOML in, a `Rule` out, or one sentence about what is wrong with it
"""
