"""The notation of GIPF moves: ``a5-b5``, ``a5-b5 b: e5 h2`` (as in the program Gipf for One).

A push has the names of its dot and of the field next to it. A row choice has the colour of the row and the two ends of
its run of that colour.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from math import inf
from typing import NamedTuple

from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.kernel import GipfRules, bind
from engine.games.gipf.rules import MOVES_PER_PUSH, State
from engine.games.interface import BadMove

MAX_PATH_POSITIONS = 256
"""Positions that are searched for the canonical row choices of a move. Play reaches a handful."""

SIDES = ("white", "black")
"""The sides. White begins. Row choices have their first letters."""


class Names(NamedTuple):
    """The names of fields, dots and pushes on a board."""

    fields: dict[str, int]
    """The bit of each field, by name."""
    by_bit: dict[int, str]
    places: dict[str, tuple[int, int]]
    """The (row, column) of each field and dot, by name. Dots lie outside the board."""
    by_place: dict[tuple[int, int], str]
    pushes: dict[str, int]
    """The number of each push, by canonical text."""
    texts: tuple[str, ...]
    """The canonical text of each push, by number."""


@cache
def names(size: int) -> Names:
    """Return the names on a board of side ``size``."""
    width = 2 * size - 1
    places = {}
    for ring_row in range(2 * size + 1):
        for column in range(max(0, ring_row - size), min(2 * size, size + ring_row) + 1):
            name = f"{chr(ord('a') + column)}{size + 1 - ring_row + min(column, size)}"
            places[name] = (ring_row - 1, column - 1)
    by_place = {place: name for name, place in places.items()}
    fields = {name: 1 << (r * width + c) for name, (r, c) in places.items() if is_field(size, r, c)}
    texts = tuple(f"{by_place[entry.dot]}-{by_place[entry.target]}" for entry in geometry(size).entries)
    pushes = {text: number for number, text in enumerate(texts)}
    return Names(fields, {bit: name for name, bit in fields.items()}, places, by_place, pushes, texts)


class Row(NamedTuple):
    """A row to collect."""

    colour: int
    fields: int
    own: int
    """The pieces of its colour."""


class RowChoice(NamedTuple):
    """A row choice in the text of a move."""

    colour: int
    """-1 for an unknown colour, `SAME` if the text has no colour."""
    ends: frozenset[str]
    text: str


SAME = -2


class Collection(NamedTuple):
    """The result of collecting rows after a push."""

    state: State
    taken: list[Row]
    chosen: list[Row]
    """The collected rows that crossed others."""
    crossing: list[Row]
    """The crossing rows, one of which is to be chosen next. Empty if the move is complete."""


def resolve(size: int, run: int, state: State, text: str) -> tuple[str, State]:
    """Return a move in canonical text and the position after it.

    Raises `BadMove` with the first error of DO_MOVE that applies as its code.
    """
    rules = bind(size, run)
    number, named = push_of(size, rules, state, text)
    push_text, after = names(size).texts[number], rules.after_push(state, number)
    if not (named or _any_run(rules, after)):
        return push_text, after
    found = collect(size, rules, after, state.side, named)
    if found.crossing:
        side, offer = SIDES[found.crossing[0].colour], _offer(size, rules, found.crossing)
        raise BadMove("WRONG_INDEX_OF_CHOSEN_ROW", f"rows of {side} cross and one must be chosen: {offer}")
    rows: Sequence[Row] = found.chosen
    if rows:
        paths = outcomes(rules, after, state.side, MAX_PATH_POSITIONS)
        rows = next((path for final, path in paths if final == found.state), rows)
    return _move_text(size, rules, push_text, rows), found.state


def push_of(size: int, rules: GipfRules, state: State, text: str) -> tuple[int, list[RowChoice]]:
    """Return the number of a move's push, and its row choices; raises `BadMove` if the push is illegal."""
    named = names(size)
    push_text, rows = (text, []) if text in named.pushes else split(text)
    number = named.pushes.get(push_text)
    if number is None:
        raise _no_push(size, push_text)
    if rules.LINE[number] & ~(state.white | state.black) == 0:
        raise BadMove(
            "BAD_MOVE_ROW_IS_FULL",
            f"the line from {push_text.partition('-')[0]} is full up to the far dot: nothing can be pushed",
        )
    if (state.white_reserve, state.black_reserve)[state.side] == 0:
        raise BadMove("BAD_MOVE_RESERVE_IS_EMPTY", f"{SIDES[state.side]} has no piece left to play")
    return number, rows


def split(text: str) -> tuple[str, list[RowChoice]]:
    """Split a move into its push, without spaces, and its row choices."""
    before, hyphen, behind = text.partition("-")
    words = behind.replace(":", " : ").split()
    push_text = f"{before.strip()}{hyphen}{words[0] if words else ''}"
    choices = []
    at = 1
    while at < len(words):
        colour, written = SAME, ""
        if words[at + 1 : at + 2] == [":"]:
            colour, written = "wb".find(words[at]) if len(words[at]) == 1 else -1, f"{words[at]}: "
            at += 2
        ends = words[at : at + 2]
        choices.append(RowChoice(colour, frozenset(ends), written + " ".join(ends)))
        at += 2
    return push_text, choices


def _no_push(size: int, push_text: str) -> BadMove:
    """Return the first error of DO_MOVE that applies to a text that is no push."""
    places = names(size).places
    start, _, target = push_text.partition("-")
    for name in (start, target):
        if name not in places:
            return BadMove(
                f"BAD_MOVE_{name}_IS_WRONG_INDEX",
                f"{name!r} names no field or dot of a board of side {size}; a move is written a1-b2",
            )
    if is_field(size, *places[start]):
        return BadMove(
            f"BAD_MOVE_{start}_IS_WRONG_STARTING_FIELD",
            f"{start} is a field; a push begins on one of the dots around the board",
        )
    if not is_field(size, *places[target]):
        return BadMove(
            f"BAD_MOVE_{target}_IS_WRONG_DESTINATION_FIELD", f"{target} is a dot; a push goes onto a field of the board"
        )
    return BadMove("UNKNOWN_MOVE_DIRECTION", f"{start} and {target} are not neighbours")


def _any_run(rules: GipfRules, state: State) -> bool:
    """Tell whether either side has K pieces in a row.

    Both sets are in one wide integer, so far apart that no shift of the test moves a piece of one onto the other.
    """
    return rules.has_run(state.white | state.black << 2 * rules.BITS)


def rows_due(rules: GipfRules, state: State, colour: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of a colour to collect: first the rows without crossings, then the crossing rows."""
    pieces = state[colour]
    if not rules.has_run(pieces):
        return [], []
    scratch = [0] * rules.BITS * len(rules.AXIS_STEPS)
    count, shared = rules.rows_to_collect(pieces, state.white | state.black, scratch, 0)
    rows = [Row(colour, fields, fields & pieces) for fields in scratch[:count]]
    return [row for row in rows if not row.fields & shared], [row for row in rows if row.fields & shared]


def collect(size: int, rules: GipfRules, state: State, mover: int, named: Iterable[RowChoice]) -> Collection:
    """Collect the rows after a push in the order of the choices, until a choice is missing.

    Raises `BadMove` for a choice that is not among the rows to collect.
    """
    left = []
    last = mover
    for choice in named:
        last = choice.colour if choice.colour != SAME else last
        left.append(choice._replace(colour=last))
    taken: list[Row] = []
    chosen: list[Row] = []
    for colour in (mover, 1 - mover):
        free, crossing = rows_due(rules, state, colour)
        while left and left[0].colour == colour:
            wanted = [row for row in (*free, *crossing) if left[0].ends in _ends(size, rules, row)]
            if not wanted:
                raise _wrong_choice(size, rules, state, left[0])
            chosen += [row for row in wanted[:1] if row in crossing]
            taken.append(wanted[0])
            state = rules.collect(state, colour, wanted[0].fields)
            left = left[1:]
            free, crossing = rows_due(rules, state, colour)
        if left and (crossing or any(left[0].ends in _ends(size, rules, row) for row in free)):
            raise _wrong_choice(size, rules, state, left[0])
        for row in free:
            state = rules.collect(state, colour, row.fields)
        taken += free
        if crossing:
            return Collection(state, taken, chosen, crossing)
    if left:
        raise _wrong_choice(size, rules, state, left[0])
    return Collection(state, taken, chosen, [])


def push_moves(size: int, run: int, state: State, number: int) -> Iterator[tuple[State, str]]:
    """Yield every final position of a push, once, with the canonical text of the move. Its line must not be full.

    Raises OverflowError after MOVES_PER_PUSH positions.
    """
    rules = bind(size, run)
    push_text = names(size).texts[number]
    after = rules.after_push(state, number)
    if not _any_run(rules, after):
        yield after, push_text
        return
    found = outcomes(rules, after, state.side)
    for final, rows in islice(found, MOVES_PER_PUSH):
        yield final, _move_text(size, rules, push_text, rows)
    if next(found, None) is not None:
        raise OverflowError(f"the push {push_text} has more than {MOVES_PER_PUSH} final positions")


def outcomes(rules: GipfRules, after: State, mover: int, most: float = inf) -> Iterator[tuple[State, tuple[Row, ...]]]:
    """Yield every final position of a push, once, with the first row choices that lead to it.

    ``after`` is the position before rows are collected. At most ``most`` positions are examined.
    """
    seen: set[tuple[int, State]] = set()
    # positions to examine, the next one last; the mover's rows are collected in turn 0, the opponent's in turn 1
    stack: list[tuple[int, State, tuple[Row, ...]]] = [(0, after, ())]
    while stack and len(seen) < most:
        turn, state, path = stack.pop()
        if (turn, state) in seen:
            continue
        seen.add((turn, state))
        colour = mover if turn == 0 else 1 - mover
        free, crossing = rows_due(rules, state, colour)
        if free:
            for row in free:
                state = rules.collect(state, colour, row.fields)
            if (turn, state) in seen:
                continue
            seen.add((turn, state))
        if crossing:
            stack += [(turn, rules.collect(state, colour, row.fields), (*path, row)) for row in reversed(crossing)]
        elif turn == 0:
            stack.append((1, state, path))
        else:
            yield state, path


def _move_text(size: int, rules: GipfRules, push_text: str, rows: Iterable[Row]) -> str:
    return " ".join([push_text, *(row_text(size, rules, row) for row in rows)])


def row_text(size: int, rules: GipfRules, row: Row) -> str:
    """Return the canonical text of a row choice."""
    first, last = sorted(_ends(size, rules, row)[0], key=names(size).places.__getitem__)
    return f"{SIDES[row.colour][0]}: {first} {last}"


def _ends(size: int, rules: GipfRules, row: Row) -> list[frozenset[str]]:
    """Return the ends of each run of a row's colour with at least K pieces."""
    step = next(step for step in rules.AXIS_STEPS if row.fields & ((row.fields & -row.fields) << step))
    name_of = names(size).by_bit
    ends = []
    left = rules.run_starts(row.own, step)
    while left:
        run = rules.stretch(row.own, left & -left, step)
        left &= ~run
        ends.append(frozenset((name_of[run & -run], name_of[1 << (run.bit_length() - 1)])))
    return ends


def _wrong_choice(size: int, rules: GipfRules, state: State, named: RowChoice) -> BadMove:
    """Return the error for a row choice that is not among the rows to collect."""
    rows = [[*free, *crossing] for free, crossing in (rows_due(rules, state, colour) for colour in (0, 1))]
    offer = _offer(size, rules, rows[0] + rows[1])
    right = f"to be collected here: {offer}" if offer else "no row is to be collected"
    others = [] if named.colour == -1 else rows[1 - named.colour]
    if named.colour == -1 or not rows[named.colour] or any(named.ends in _ends(size, rules, row) for row in others):
        return BadMove("WRONG_COLOR_OF_CHOSEN_ROW", f"{named.text!r} names no row of that colour; {right}")
    return BadMove("WRONG_INDEX_OF_CHOSEN_ROW", f"{named.text!r} does not name the next row to choose; {right}")


def _offer(size: int, rules: GipfRules, rows: Iterable[Row]) -> str:
    return " or ".join(row_text(size, rules, row) for row in rows)
