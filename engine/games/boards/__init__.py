"""What games on boards have in common: positions and games by a variant and a state, lines of fields, drawings.

- `animation`: pictures one after the other as an animated GIF, which every site and program shows
- `board_game`: what games have in common whose positions are a variant and a state: the most of
  `engine.games.interface`
- `card`: a board beside texts in the size in which other sites show the picture of a link
- `colours`: the colours of boards and pieces, by day and by night: one table for pages, pictures and notebooks
- `game_pictures`: pictures of a game: its last position as SVG, PNG, or a card for other sites; all of them as an
  animated GIF
- `layout`: where the fields of boards lie in a drawing: geometry, and nothing of the rules
- `lines`: lines of fields on any board: how far each side has filled them
- `picture`: a picture of a position before it is written as SVG or as pixels: the shapes, and how large it is
- `raster`: boards as pixels, with Pillow: PNG for sites and programs that do not take SVG, and the frames of
  animations
- `shapes`: a board with its pieces as plain shapes: what every picture of a position is made of
- `svg`: boards as SVG: one picture that needs nothing else, drawn as on the server's pages, for notebooks and
  documents
"""
