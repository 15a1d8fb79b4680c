/** A board seen from the other side. */

const HALF_TURN = 4; // eighths, as arrows count directions

/**
 * Turn a view by half a turn: places, lines, names and the directions of arrows.
 * @param {object} view
 * @returns {object} a view for a board
 */
export function turned(view) {
  if (!view.layout) return view;
  const { layout } = view;
  const place = ([name, x, y]) => [name, -x, -y];
  return {
    ...view,
    isTurned: true,
    layout: {
      ...layout,
      fields: layout.fields.map(place),
      dots: layout.dots.map(place),
      labels: layout.labels.map(place),
      strokes: layout.strokes.map((ends) => ends.map((value) => -value)),
    },
    pieces: view.pieces.map(([field, side, direction]) => [
      field,
      side,
      direction === null || direction === undefined ? null : (direction + HALF_TURN) % (2 * HALF_TURN),
    ]),
  };
}
