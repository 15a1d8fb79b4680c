"""What games on boards have in common: positions and games by a variant and a state, lines of fields.

- `board_game`: what games have in common whose positions are a variant and a state: the most of
  `engine.games.interface`
- `lines`: lines of fields on any board: how far each side has filled them
"""
