"""A second implementation of the rules of GIPF: slow, plain, and made to be read beside docs/rules.md.

It judges the fast one, so it shares nothing with it and imports nothing from the project. A board is a
dictionary from fields to ``W``, ``B`` or ``_``; a field is (row, column) as in section 1.2 of the rules, and a
dot is written the same way, one step outside the board. Wherever a rule could be made faster by being cleverer,
it was left alone, but for one line in `rows`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

Field = tuple[int, int]
Step = tuple[int, int]
Key = tuple[object, ...]

OTHER = {"W": "B", "B": "W"}
NAMES = {"W": "white", "B": "black"}
PUSH_STEPS: list[Step] = [(0, -1), (-1, -1), (-1, 0), (0, 1), (1, 1), (1, 0)]
LINE_STEPS: list[Step] = [(1, 1), (1, 0), (0, 1)]
CLOCKWISE: list[Step] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)]

ROW_IS_FULL = "BAD_MOVE_ROW_IS_FULL"
RESERVE_IS_EMPTY = "BAD_MOVE_RESERVE_IS_EMPTY"
UNKNOWN_DIRECTION = "UNKNOWN_MOVE_DIRECTION"
WRONG_COLOR = "WRONG_COLOR_OF_CHOSEN_ROW"
WRONG_INDEX = "WRONG_INDEX_OF_CHOSEN_ROW"
UNREADABLE = "UNREADABLE"
"""Not from the rules, which are silent about a text that has no two field names around a hyphen."""


class Refused(Exception):
    """A move or a board that the rules refuse; the text of the error is the answer they demand."""


# The board


@cache
def board_fields(size: int) -> list[Field]:
    """Return the fields of the board, row by row from the top, each from the left."""
    return [
        (row, column)
        for row in range(2 * size - 1)
        for column in range(max(0, row - size + 1), min(2 * size - 2, size - 1 + row) + 1)
    ]


@cache
def dots(size: int) -> list[Field]:
    """Return the ring of dots: what a board of the next size has around this one."""
    ringed = [(row - 1, column - 1) for row, column in board_fields(size + 1)]
    return [place for place in ringed if place not in board_fields(size)]


@cache
def names(size: int) -> dict[Field, str]:
    """Return what every field and dot is called (section 1.2, rows and columns counted with the ring)."""
    named = {}
    for row, column in board_fields(size + 1):
        number = size + 1 - row + min(column, size)
        named[row - 1, column - 1] = "abcdefghijklmnopqrstuvwxyz"[column] + str(number)
    return named


@cache
def places(size: int) -> dict[str, Field]:
    """Return which field or dot has a name."""
    return {name: place for place, name in names(size).items()}


def beyond(place: Field, step: Step) -> Field:
    """Return the place one step further."""
    return place[0] + step[0], place[1] + step[1]


@cache
def ray(size: int, field: Field, step: Step) -> list[Field]:
    """Return the fields of the board from this one on to the end of the line."""
    line = []
    while field in set(board_fields(size)):
        line.append(field)
        field = beyond(field, step)
    return line


@cache
def lines(size: int) -> list[list[Field]]:
    """Return all lines of the board, from their upper or left end: diagonals, columns, printed rows."""
    return [
        ray(size, field, step)
        for step in LINE_STEPS
        for field in board_fields(size)
        if beyond(field, (-step[0], -step[1])) in dots(size)
    ]


@cache
def rim(size: int) -> list[Field]:
    """Return the fields of the rim, clockwise from the top left corner."""
    fields = []
    field = (0, 0)
    for step in CLOCKWISE:
        for _ in range(size - 1):
            fields.append(field)
            field = beyond(field, step)
    return fields


@cache
def corners(size: int) -> list[Field]:
    """Return the six corners, clockwise from the top left."""
    return rim(size)[:: size - 1]


@cache
def pushes(size: int) -> list[tuple[Field, Field]]:
    """Return all pushes as (dot, target), in the order of generation."""
    found = []
    for target in rim(size):
        for step in PUSH_STEPS:
            dot = beyond(target, (-step[0], -step[1]))
            if dot in dots(size):
                found.append((dot, target))
    return found


# Positions


@dataclass(frozen=True)
class Position:
    """A board, what lies in the two reserves, and who is to move."""

    size: int
    length: int
    total: dict[str, int]
    fields: dict[Field, str]
    reserve: dict[str, int]
    turn: str

    def key(self) -> Key:
        """Return what two positions of one game have in common exactly when they are the same."""
        return tuple(self.fields.values()), self.reserve["W"], self.reserve["B"], self.turn


def start(size: int, length: int, white: int, black: int) -> Position:
    """Return the position in which a game of these parameters begins."""
    fields = dict.fromkeys(board_fields(size), "_")
    for corner, colour in zip(corners(size), "WBWBWB", strict=True):
        fields[corner] = colour
    return Position(size, length, {"W": white, "B": black}, fields, {"W": white - 3, "B": black - 3}, "W")


def outcome(position: Position) -> str:
    """Say how the game stands, in the words of PRINT_GAME_STATE."""
    if position.reserve[position.turn] == 0:
        return f"{NAMES[OTHER[position.turn]]}_win"
    if all(is_full(position, dot, target) for dot, target in pushes(position.size)):
        return f"dead_lock {NAMES[position.turn]}"
    return "in_progress"


# Pushing


def is_full(position: Position, dot: Field, target: Field) -> bool:
    """Tell whether the line from the dot is full up to the far dot."""
    return all(position.fields[field] != "_" for field in ray(position.size, target, step_of(dot, target)))


def step_of(dot: Field, target: Field) -> Step:
    """Return the direction of a push."""
    return target[0] - dot[0], target[1] - dot[1]


def pushed(position: Position, dot: Field, target: Field) -> Position:
    """Lay a piece of the mover on the dot and push it in: what stands in front of it moves by one."""
    fields = dict(position.fields)
    carried = position.turn
    for field in ray(position.size, target, step_of(dot, target)):
        fields[field], carried = carried, fields[field]
        if carried == "_":
            break
    reserve = dict(position.reserve)
    reserve[position.turn] -= 1
    return replace(position, fields=fields, reserve=reserve)


# Collecting


@dataclass(frozen=True)
class Row:
    """An unbroken stretch of pieces with at least one run in it, and the ends of all its runs, in order."""

    colour: str
    fields: frozenset[Field]
    runs: list[tuple[Field, Field]]


def stretches(position: Position, line: list[Field]) -> list[list[Field]]:
    """Return the unbroken stretches of pieces on a line."""
    return [list(part) for piece, part in groupby(line, lambda field: position.fields[field] != "_") if piece]


def runs_in(position: Position, fields: list[Field], colour: str) -> list[tuple[Field, Field]]:
    """Return the ends of the runs of one colour among neighbouring fields of a line."""
    parts = [list(part) for piece, part in groupby(fields, lambda field: position.fields[field]) if piece == colour]
    return [(part[0], part[-1]) for part in parts if len(part) >= position.length]


def rows(position: Position, colour: str) -> list[Row]:
    """Return all rows of a colour: diagonals, columns, printed rows, each by its first run from the top.

    Most lines have too few pieces of the colour: that these are passed over is all that is done here for speed.
    """
    found = []
    for line in lines(position.size):
        if [position.fields[field] for field in line].count(colour) < position.length:
            continue
        for stretch in stretches(position, line):
            runs = runs_in(position, stretch, colour)
            if runs:
                found.append(Row(colour, frozenset(stretch), runs))
    return sorted(found, key=lambda row: (direction(row), row.runs[0][0]))


def direction(row: Row) -> int:
    """Return the place of a row's direction in the order of generation."""
    first, last = row.runs[0]
    down, right = last[0] - first[0], last[1] - first[1]
    return LINE_STEPS.index((min(down, 1), min(right, 1)))


def crossing(found: list[Row]) -> list[Row]:
    """Return those rows that share a field with another one."""
    return [row for row in found if any(row.fields & other.fields for other in found if other is not row)]


def taken(position: Position, row: Row) -> Position:
    """Take a row from the board: its colour goes back to the reserve, the rest leaves the game."""
    fields = dict(position.fields)
    reserve = dict(position.reserve)
    for field in row.fields:
        if fields[field] == row.colour:
            reserve[row.colour] += 1
        fields[field] = "_"
    return replace(position, fields=fields, reserve=reserve)


def without_uncrossed(position: Position, found: list[Row]) -> Position:
    """Take all rows that cross no other."""
    crossed = crossing(found)
    for row in found:
        if row not in crossed:
            position = taken(position, row)
    return position


def passed(position: Position) -> Position:
    """Give the turn to the other side."""
    return replace(position, turn=OTHER[position.turn])


# Moves


@dataclass(frozen=True)
class Move:
    """A legal move in canonical text, and the position after it."""

    text: str
    position: Position


def choice_text(position: Position, row: Row) -> str:
    """Name a row by its colour and the ends of its first run."""
    first, last = row.runs[0]
    called = names(position.size)
    return f" {row.colour.lower()}: {called[first]} {called[last]}"


def collected(position: Position, colours: str, seen: set[Key]) -> Iterator[tuple[str, Position]]:
    """Yield every way to collect the rows of these colours, one colour after the other: choices and final board.

    ``seen`` holds the boards met after the same push: what can follow them has been listed then.
    """
    if (colours, position.key()) in seen:
        return
    seen.add((colours, position.key()))
    if not colours:
        yield "", position
        return
    found = rows(position, colours[0])
    if not found:
        yield from collected(position, colours[1:], seen)
        return
    position = without_uncrossed(position, found)
    if not crossing(found):
        yield from collected(position, colours, seen)
    for row in crossing(found):
        for choices, final in collected(taken(position, row), colours, seen):
            yield choice_text(position, row) + choices, final


def moves_of_push(position: Position, dot: Field, target: Field) -> list[Move]:
    """Return every final position of one push once, each with the first text that leads to it."""
    called = names(position.size)
    colours = position.turn + OTHER[position.turn]
    found: list[Move] = []
    finals: set[Key] = set()
    for choices, final in collected(pushed(position, dot, target), colours, set()):
        if final.key() not in finals:
            finals.add(final.key())
            found.append(Move(f"{called[dot]}-{called[target]}{choices}", passed(final)))
    return found


def moves(position: Position) -> list[Move]:
    """Return all legal moves in the order of generation; none for a mover without reserve."""
    if position.reserve[position.turn] == 0:
        return []
    return [
        move
        for dot, target in pushes(position.size)
        if not is_full(position, dot, target)
        for move in moves_of_push(position, dot, target)
    ]


def unique(found: list[Move]) -> list[Position]:
    """Return the positions that moves lead to, each once, where it occurs first."""
    met: dict[Key, Position] = {}
    for move in found:
        met.setdefault(move.position.key(), move.position)
    return list(met.values())


# Moves as text


@dataclass(frozen=True)
class Choice:
    """A named row: its colour (`W`, `B`, or anything that was typed instead) and its ends, which need not exist."""

    colour: str
    ends: frozenset[str]


def parse_move(text: str, mover: str) -> tuple[str, str, list[Choice]]:
    """Read dot, field and choices as they are typed."""
    match = re.fullmatch(r"\s*([^\s-]+)\s*-\s*([^\s-]+)(\s.*)?", text, re.DOTALL)
    if not match:
        raise Refused(UNREADABLE)
    return match[1], match[2], parse_choices(match[3] or "", mover)


def parse_choices(text: str, mover: str) -> list[Choice]:
    """Read choices; one without a colour has that of the choice before, the first that of the mover."""
    words = text.replace(":", " : ").split()
    choices: list[Choice] = []
    colour = mover
    while words:
        if words[1:2] == [":"]:
            colour = {"w": "W", "b": "B"}.get(words[0], "neither")
            words = words[2:]
        choices.append(Choice(colour, frozenset(words[:2])))
        words = words[2:]
    return choices


def check_push(position: Position, dot: str, target: str) -> None:
    """Refuse a push that is not one, or cannot be made, with the first error that applies."""
    place = places(position.size)
    for name in (dot, target):
        if name not in place:
            raise Refused(f"BAD_MOVE_{name}_IS_WRONG_INDEX")
    if place[dot] not in dots(position.size):
        raise Refused(f"BAD_MOVE_{dot}_IS_WRONG_STARTING_FIELD")
    if place[target] not in board_fields(position.size):
        raise Refused(f"BAD_MOVE_{target}_IS_WRONG_DESTINATION_FIELD")
    if step_of(place[dot], place[target]) not in PUSH_STEPS:
        raise Refused(UNKNOWN_DIRECTION)
    if is_full(position, place[dot], place[target]):
        raise Refused(ROW_IS_FULL)
    if position.reserve[position.turn] == 0:
        raise Refused(RESERVE_IS_EMPTY)


def named_row(position: Position, found: list[Row], ends: frozenset[str]) -> Row | None:
    """Return the row that has a run with these ends."""
    called = names(position.size)
    for row in found:
        if any({called[first], called[last]} == ends for first, last in row.runs):
            return row
    return None


def chosen(position: Position, choice: Choice) -> Position:
    """Take the one row that a choice names, and what must have been taken before it; or refuse it."""
    due = {colour: rows(position, colour) for colour in "WB"}
    movers = due[position.turn]
    named = {colour: named_row(position, due[colour], choice.ends) for colour in "WB"}
    if choice.colour not in "WB" or named[OTHER[choice.colour]] or not due[choice.colour]:
        raise Refused(WRONG_COLOR)
    if choice.colour != position.turn and movers:
        if crossing(movers):
            raise Refused(WRONG_INDEX)
        return chosen(without_uncrossed(position, movers), choice)
    row = named[choice.colour]
    if not row:
        raise Refused(WRONG_INDEX)
    return taken(position, row)


def cleared(position: Position) -> Position:
    """Take all rows that need no choice; refuse if one does."""
    for colour in (position.turn, OTHER[position.turn]):
        while found := rows(position, colour):
            if crossing(found):
                raise Refused(WRONG_INDEX)
            position = without_uncrossed(position, found)
    return position


def apply(position: Position, text: str) -> Move:
    """Make the move that a text names, in any of the spellings that section 1.7 allows; raises `Refused`."""
    dot, target, choices = parse_move(text, position.turn)
    check_push(position, dot, target)
    place = places(position.size)
    final = pushed(position, place[dot], place[target])
    for choice in choices:
        final = chosen(final, choice)
    final = passed(cleared(final))
    for move in moves_of_push(position, place[dot], place[target]):
        if move.position == final:
            return move
    raise AssertionError("a text has led to a position that no legal move leads to")
