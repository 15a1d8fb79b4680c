"""A second implementation of the rules of arrows: slow, plain, and made to be read beside docs/rules.md.

It judges the fast one, so it shares nothing with it and imports nothing from the project. A board is what the
board file says, and the arrows that were placed in their order; every question is answered from these.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Field = tuple[int, int]

STEPS = {
    0: (0, -1),  # up
    1: (1, -1),  # up right
    2: (1, 0),  # right
    3: (1, 1),  # down right
    4: (0, 1),  # down
    5: (-1, 1),  # down left
    6: (-1, 0),  # left
    7: (-1, -1),  # up left
}

NAMES = ("first", "second")


@dataclass(frozen=True)
class Arrow:
    """An arrow: where it stands and where it points."""

    x: int
    y: int
    direction: int

    def aim(self) -> Field:
        """Return the place that it points at."""
        right, down = STEPS[self.direction]
        return self.x + right, self.y + down


@dataclass(frozen=True)
class Position:
    """A board with the arrows of both players, each in the order in which they were placed; first begins."""

    columns: int
    rows: int
    blocked: frozenset[Field]
    arrows: tuple[tuple[Arrow, ...], tuple[Arrow, ...]]
    moves: tuple[int, ...] = field(default=())

    def turn(self) -> int:
        """Return whose turn it is: 0 or 1."""
        return len(self.moves) % 2

    def on_board(self, place: Field) -> bool:
        """Tell whether a place is a field."""
        return place[0] in range(1, self.columns + 1) and place[1] in range(1, self.rows + 1)

    def occupied(self) -> set[Field]:
        """Return the fields with an arrow."""
        return {(arrow.x, arrow.y) for arrows in self.arrows for arrow in arrows}

    def is_dead(self, place: Field) -> bool:
        """Tell whether nothing can ever be placed on a place."""
        return not self.on_board(place) or place in self.blocked or place in self.occupied()


def start(columns: int, rows: int, first: Arrow, second: Arrow, blocked: frozenset[Field] = frozenset()) -> Position:
    """Return the position in which a game begins."""
    return Position(columns, rows, blocked, ((first,), (second,)))


def in_corners(columns: int, rows: int, direction: int) -> Position:
    """Return the start with both players in opposite corners, the second one's direction opposite to the first's."""
    return start(columns, rows, Arrow(1, 1, direction), Arrow(columns, rows, (direction + 4) % 8))


def outcome(position: Position) -> str:
    """Say why the side to move cannot place its arrow; nothing if it can."""
    place = position.arrows[position.turn()][-1].aim()
    if not position.on_board(place):
        return "off_board"
    if place in position.blocked:
        return "blocked"
    if place in position.occupied():
        return "occupied"
    return "taken" if place == position.arrows[1 - position.turn()][-1].aim() else ""


def play(position: Position, direction: int) -> Position:
    """Place an arrow of the side to move where its last one points, the game not being over."""
    mover = position.turn()
    x, y = position.arrows[mover][-1].aim()
    arrows = list(position.arrows)
    arrows[mover] = (*arrows[mover], Arrow(x, y, direction))
    return replace(position, arrows=(arrows[0], arrows[1]), moves=(*position.moves, direction))


def moves(position: Position) -> list[int]:
    """Return the legal moves."""
    return [] if outcome(position) else list(range(8))


def sight(position: Position) -> tuple[object, ...]:
    """Return what the rules look at: who moves, what is free, and where both must place if anything can stand there."""
    aims = [arrows[-1].aim() for arrows in position.arrows]
    alive = [None if position.is_dead(aim) else aim for aim in aims]
    return position.turn(), frozenset(position.occupied()), position.blocked, tuple(alive)


def unique(position: Position) -> list[Position]:
    """Return the positions that moves lead to, each where it occurs first."""
    met: dict[tuple[object, ...], Position] = {}
    for direction in moves(position):
        after = play(position, direction)
        met.setdefault(sight(after), after)
    return list(met.values())


def free_fields(position: Position) -> Iterator[Field]:
    """Yield the fields with no arrow that are not blocked."""
    for y in range(1, position.rows + 1):
        for x in range(1, position.columns + 1):
            if not position.is_dead((x, y)):
                yield x, y


def wins(position: Position, known: dict[tuple[object, ...], bool]) -> bool:
    """Tell whether the side to move wins, by looking at every move; ``known`` remembers what was found out."""
    seen = sight(position)
    if seen not in known:
        known[seen] = any(not wins(play(position, direction), known) for direction in moves(position))
    return known[seen]


def length(position: Position, known: dict[tuple[object, ...], int]) -> int:
    """Return in how many plies the game ends: as soon as the winner, and as late as the loser can make it.

    Odd numbers are wins of the side to move, even ones losses. ``known`` remembers what was found out.
    """
    seen = sight(position)
    if seen not in known:
        won: list[int] = []
        lost = [-1]
        for direction in moves(position):
            plies = length(play(position, direction), known)
            (lost if plies % 2 else won).append(plies)
            if plies == 0:
                break  # nothing is shorter
        known[seen] = 1 + min(won) if won else 1 + max(lost)
    return known[seen]


def board_text(position: Position) -> str:
    """Return the board file, plain, with the moves behind it."""
    first, second = (arrows[0] for arrows in position.arrows)
    pairs = [
        (position.columns, position.rows),
        (first.x, first.y),
        (second.x, second.y),
        (first.direction, second.direction),
        *sorted(position.blocked),
    ]
    text = "".join(f"{x} {y}\n" for x, y in pairs)
    return text + ("moves: " + " ".join(map(str, position.moves)) + "\n" if position.moves else "")
