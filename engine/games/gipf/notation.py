"""Moves of GIPF as text, both ways: ``a5-b5``, ``a5-b5 b: e5 h2`` (notation as in Gipf for One).

A push is named by its dot and the field next to it. A row that has to be chosen is named by its colour and the
two ends of its run of that colour.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple, TypeAlias

from engine.games.gipf.geometry import geometry, is_field
from engine.games.gipf.kernel import GipfRules, bind
from engine.games.gipf.rules import MOVES_PER_PUSH, State
from engine.games.interface import BadMove

PATH_STEPS = 256
"""Positions that are looked at to name a move by the first path to where it ends. Choices that cannot lead there are
not followed, so that there are hardly more than choices are made."""

SIDES = ("white", "black")
"""The sides, the one that begins first. Their first letters stand for them in row choices."""


class Names(NamedTuple):
    """The names of everything on a board of one size."""

    fields: dict[str, int]
    """Name of each field -> its bit."""
    by_bit: dict[int, str]
    places: dict[str, tuple[int, int]]
    """Name of each field and dot -> (row, column), where dots lie outside the board."""
    by_place: dict[tuple[int, int], str]
    pushes: dict[str, int]
    """Canonical text of each push -> its number."""
    texts: tuple[str, ...]
    """Number of each push -> its canonical text."""


@cache
def names(size: int) -> Names:
    """Name the fields, dots and pushes of the board of side ``size``."""
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


class Choice(NamedTuple):
    """A row to collect: its colour, its fields as bits, and the ends of each run that triggers it."""

    colour: int
    row: int
    ends: tuple[frozenset[str], ...]


def resolve(size: int, run: int, state: State, text: str) -> tuple[str, State]:
    """Return a move in canonical text and the position after it.

    Raises `BadMove`; its codes are the errors of DO_MOVE, the first that applies.
    """
    named = names(size)
    number, push_text, choices = named.pushes.get(text), text, _NO_CHOICES
    if number is None:  # not just a push in canonical text, as most moves are
        push_text, choices = split(text)
        number = named.pushes.get(push_text)
    if number is None:
        number = _explain_push(size, push_text)
    rules = bind(size, run)
    if rules.LINE[number] & ~(state.white | state.black) == 0:
        sentence = f"the line from {push_text.partition('-')[0]} is full up to the far dot: nothing can be pushed"
        raise BadMove("BAD_MOVE_ROW_IS_FULL", sentence)
    if (state.white_reserve, state.black_reserve)[state.side] == 0:
        raise BadMove("BAD_MOVE_RESERVE_IS_EMPTY", f"{SIDES[state.side]} has no piece left to play")
    after = rules.after_push(state, number)
    if not (choices or _any_run(rules, after)):
        return named.texts[number], after
    final, needed = _collect_named(size, rules, after, state.side, choices)
    if not needed:
        return named.texts[number], final
    # where the first path to this position is not found, the move is named as it was chosen
    path = canonical(size, rules, after, state.side, final) or needed
    return " ".join([named.texts[number], *path]), final


def _any_run(rules: GipfRules, state: State) -> bool:
    """Tell whether either side has K pieces in a row, by one test of both boards, side by side in one wide integer.

    As far as a whole board lies between them, no shift of the test moves a piece of one onto the other.
    """
    return rules.has_run(state.white | state.black << 2 * rules.BITS)


Step: TypeAlias = tuple[int, int, int]
"""A row choice as numbers: the colour, the row, and the pieces of that colour in it."""


def push_moves(size: int, run: int, state: State, number: int) -> Iterator[tuple[State, str]]:
    """Yield every final position of a push whose line is not full, once, with the canonical text of the move.

    Raises OverflowError behind the first MOVES_PER_PUSH of them.
    """
    rules = bind(size, run)
    push_text = names(size).texts[number]
    after = rules.after_push(state, number)
    if not _any_run(rules, after):
        yield after, push_text
        return
    found = outcomes(rules, after, state.side)
    for final, steps in islice(found, MOVES_PER_PUSH):
        yield final, " ".join([push_text, *_texts(size, rules, steps)])
    if next(found, None) is not None:
        raise OverflowError(f"the push {push_text} has more than {MOVES_PER_PUSH} final positions")


def canonical(size: int, rules: GipfRules, after: State, mover: int, final: State) -> list[str]:
    """Return the first choices by which rows are collected after a push, until a given final position stands.

    None of them where they are not found among the first PATH_STEPS positions.
    """
    steps = next((steps for found, steps in outcomes(rules, after, mover, final) if found == final), ())
    return _texts(size, rules, steps)


def outcomes(
    rules: GipfRules, after: State, mover: int, final: State | None = None
) -> Iterator[tuple[State, tuple[Step, ...]]]:
    """Yield every position in which collecting rows after a push may end, once, with the first choices that lead there.

    Where ``final`` is given, choices that cannot lead there are left out, and no more than PATH_STEPS positions are
    looked at.
    """
    left = ~0 if final is None else final.white | final.black
    seen: set[tuple[int, State]] = set()
    scratch = [0] * rules.BITS
    # positions to be looked at, the next one last; the mover's rows are taken in turn 0, the opponent's in turn 1
    stack: list[tuple[int, State, tuple[Step, ...]]] = [(0, after, ())]
    while stack and (final is None or len(seen) < PATH_STEPS):
        turn, state, steps = stack.pop()
        if (turn, state) in seen:
            continue
        seen.add((turn, state))
        colour = mover if turn == 0 else 1 - mover
        pieces = state[colour]
        crossing: list[int] = []
        if rules.has_run(pieces):
            count, shared = rules.rows_to_collect(pieces, state.white | state.black, scratch, 0)
            free = 0
            for row in scratch[:count]:
                if row & shared:
                    crossing.append(row)
                else:
                    free |= row
            if free:
                state = rules.collect(state, colour, free)
                if (turn, state) in seen:
                    continue
                seen.add((turn, state))
        if final is not None and not _can_become(rules, state, left):
            continue
        if crossing:
            stack += [
                (turn, rules.collect(state, colour, row), (*steps, (colour, row, row & pieces)))
                for row in reversed(crossing)
                if final is None or row & left == 0
            ]
        elif turn == 0:
            stack.append((1, state, steps))
        else:
            yield state, steps


def _texts(size: int, rules: GipfRules, steps: tuple[Step, ...]) -> list[str]:
    """Return row choices in canonical text."""
    return [choice_text(size, _choice(size, rules, pieces, colour, row)) for colour, row, pieces in steps]


def _can_become(rules: GipfRules, state: State, left: int) -> bool:
    """Tell whether what is beyond the fields that are to be left lies in rows, which can only get shorter."""
    occupied = state.white | state.black
    if left & ~occupied:
        return False
    surplus = occupied & ~left
    if not surplus:
        return True
    scratch = [0] * rules.BITS
    for pieces in (state.white, state.black):
        count, _ = rules.rows_to_collect(pieces, occupied, scratch, 0)
        for row in scratch[:count]:
            surplus &= ~row
    return surplus == 0


def choice_text(size: int, choice: Choice) -> str:
    """Return the canonical text of a row choice."""
    places = names(size).places
    first, last = sorted(choice.ends[0], key=places.__getitem__)
    return f"{SIDES[choice.colour][0]}: {first} {last}"


def rows_due(size: int, rules: GipfRules, state: State, colour: int) -> tuple[list[Choice], list[Choice]]:
    """Return the rows of a colour that are to be collected: those that cross no other, and those that do."""
    rows, shared = _rows(rules, state, colour)
    choices = [_choice(size, rules, state[colour], colour, row) for row in rows]
    return [c for c in choices if not c.row & shared], [c for c in choices if c.row & shared]


def _rows(rules: GipfRules, state: State, colour: int) -> tuple[list[int], int]:
    """Return the rows that runs of a colour trigger, and the fields that several of them share."""
    pieces = state[colour]
    if not rules.has_run(pieces):
        return [], 0
    scratch = [0] * rules.BITS * len(rules.AXIS_STEPS)
    count, shared = rules.rows_to_collect(pieces, state.white | state.black, scratch, 0)
    return scratch[:count], shared


def _choice(size: int, rules: GipfRules, pieces: int, colour: int, row: int) -> Choice:
    step = next(step for step in rules.AXIS_STEPS if row & ((row & -row) << step))
    name_of = names(size).by_bit
    ends = []
    left = rules.run_starts(pieces & row, step)
    while left:
        run = rules.stretch(pieces & row, left & -left, step)
        left &= ~run
        ends.append(frozenset((name_of[run & -run], name_of[1 << (run.bit_length() - 1)])))
    return Choice(colour, row, tuple(ends))


class NamedRow(NamedTuple):
    """A row choice as somebody wrote it."""

    colour: int
    """-1 for a colour that does not exist, `SAME` where none was written."""
    ends: frozenset[str]
    text: str


SAME = -2

_NO_CHOICES: list[NamedRow] = []


def split(text: str) -> tuple[str, list[NamedRow]]:
    """Part a move into its push, without spaces, and its row choices."""
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
        choices.append(NamedRow(colour, frozenset(ends), written + " ".join(ends)))
        at += 2
    return push_text, choices


def _explain_push(size: int, push_text: str) -> int:
    """Say why a text names no push: raises the first error of DO_MOVE that applies."""
    places = names(size).places
    start, _, target = push_text.partition("-")
    for name in (start, target):
        if name not in places:
            sentence = f"{name!r} names no field or dot of a board of side {size}; a move is written a1-b2"
            raise BadMove(f"BAD_MOVE_{name}_IS_WRONG_INDEX", sentence)
    if is_field(size, *places[start]):
        sentence = f"{start} is a field; a push begins on one of the dots around the board"
        raise BadMove(f"BAD_MOVE_{start}_IS_WRONG_STARTING_FIELD", sentence)
    if not is_field(size, *places[target]):
        sentence = f"{target} is a dot; a push goes onto a field of the board"
        raise BadMove(f"BAD_MOVE_{target}_IS_WRONG_DESTINATION_FIELD", sentence)
    raise BadMove("UNKNOWN_MOVE_DIRECTION", f"{start} and {target} are not neighbours")


def _collect_named(
    size: int, rules: GipfRules, state: State, mover: int, named: list[NamedRow]
) -> tuple[State, list[str]]:
    """Collect the rows after a push, choosing the named ones in their order; return also those that crossed others."""
    left = []
    needed = []
    last = mover
    for row in named:
        last = row.colour if row.colour != SAME else last
        left.append(row._replace(colour=last))
    for colour in (mover, 1 - mover):
        while left and left[0].colour == colour:
            free, crossing = rows_due(size, rules, state, colour)
            chosen = [choice for choice in free + crossing if left[0].ends in choice.ends]
            if not chosen:
                raise not_there(size, rules, state, left[0])
            if chosen[0] in crossing:
                needed.append(choice_text(size, chosen[0]))
            state = rules.collect(state, colour, chosen[0].row)
            left = left[1:]
        if not left:
            rows, shared = _rows(rules, state, colour)
            if not shared:  # then nothing has to be named
                for each in rows:
                    state = rules.collect(state, colour, each)
                continue
        free, crossing = rows_due(size, rules, state, colour)
        if left and (crossing or any(left[0].ends in choice.ends for choice in free)):
            raise not_there(size, rules, state, left[0])
        if crossing:
            sentence = f"rows of {SIDES[colour]} cross and one must be chosen: {_offer(size, crossing)}"
            raise BadMove("WRONG_INDEX_OF_CHOSEN_ROW", sentence)
        for choice in free:
            state = rules.collect(state, colour, choice.row)
    if left:
        raise not_there(size, rules, state, left[0])
    return state, needed


def not_there(size: int, rules: GipfRules, state: State, named: NamedRow) -> BadMove:
    """Return the error for a named row that is not there to be collected now."""
    rows = [[*free, *crossing] for free, crossing in (rows_due(size, rules, state, colour) for colour in (0, 1))]
    right = f"to be collected here: {_offer(size, rows[0] + rows[1])}" if any(rows) else "no row is to be collected"
    if named.colour == -1 or not rows[named.colour] or any(named.ends in row.ends for row in rows[1 - named.colour]):
        return BadMove("WRONG_COLOR_OF_CHOSEN_ROW", f"{named.text!r} names no row of that colour; {right}")
    return BadMove("WRONG_INDEX_OF_CHOSEN_ROW", f"{named.text!r} does not name the next row to choose; {right}")


def _offer(size: int, choices: list[Choice]) -> str:
    return " or ".join(choice_text(size, choice) for choice in choices)
