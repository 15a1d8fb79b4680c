"""What games on boards have in common: positions and games by a variant and a state, lines of fields, drawings.

- `board_game`: what games have in common whose positions are a variant and a state: the most of
  `engine.games.interface`
- `layout`: where the fields of boards lie in a drawing: geometry, and nothing of the rules
- `lines`: lines of fields on any board: how far each side has filled them
- `svg`: boards as SVG: one picture that needs nothing else, drawn as on the server's pages, for notebooks and documents
"""
