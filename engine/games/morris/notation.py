"""Moves of nine men's morris as text, both ways: numbers of fields, separated by spaces.

``p`` places a piece on p, ``p t`` takes the one on t as well; ``f t`` moves a piece from f to t, ``f t c`` takes the
one on c as well. Two numbers are a placing as long as the mover has a piece in hand, and a move afterwards.
"""

import re

from engine.compiling.binding import popcount
from engine.games.interface import IllegalMove, UnreadableMove
from engine.games.morris.board import SIDES
from engine.games.morris.fields import BOARD, FIELDS, neighbours
from engine.games.morris.kernel import bind
from engine.games.morris.rules import FLYING, State

MAX_NUMBERS = 3
"""Numbers of the longest move."""


def numbers_of(fields: int) -> list[int]:
    """Return the numbers of a set of fields, in ascending order."""
    return [field for field in range(FIELDS) if fields >> field & 1]


def text_of(before: State, after: State) -> str:
    """Return the canonical text of the move that leads from one position to the next."""
    # what is the mover's before is the opponent's after
    left = before.own & ~after.other
    reached = after.other & ~before.own
    taken = before.other & ~after.own
    return " ".join(str(number) for fields in (left, reached, taken) for number in numbers_of(fields))


def resolve(state: State, text: str) -> tuple[str, State]:
    """Return a move in canonical text and the position after it.

    Raises `UnreadableMove` or `IllegalMove` with the first code that applies: BAD_MOVE_IS_UNREADABLE,
    BAD_MOVE_GAME_IS_OVER, BAD_MOVE_HAND_IS_NOT_EMPTY, BAD_MOVE_HAND_IS_EMPTY; of the numbers,
    BAD_MOVE_<n>_IS_NOT_YOURS, BAD_MOVE_<n>_IS_OCCUPIED, BAD_MOVE_<n>_IS_NO_NEIGHBOUR; BAD_MOVE_CAPTURE_IS_DUE,
    BAD_MOVE_CAPTURE_IS_NOT_DUE, BAD_MOVE_<n>_IS_NO_PIECE_TO_TAKE, BAD_MOVE_<n>_STANDS_IN_A_MILL.
    """
    words = text.split()
    if not 1 <= len(words) <= MAX_NUMBERS or not all(re.fullmatch("[0-9]{1,2}", word) for word in words):
        raise _unreadable(text)
    numbers = [int(word) for word in words]
    if max(numbers) >= FIELDS:
        raise _unreadable(text)
    rules = bind()
    if rules.too_few(state) or not rules.can_move(state):
        raise IllegalMove("BAD_MOVE_GAME_IS_OVER", "the game is over: there is no move to make")
    rest, target, named = _land(state, numbers)
    prey = _taken(state, text, bool(rules.completing(rest) & target), named)
    hand = max(0, state.own_hand - 1)
    after = State(state.other ^ prey, rest | target, state.other_hand, hand, 1 - state.side)
    return text_of(state, after), after


def _unreadable(text: str) -> UnreadableMove:
    sentence = f"a move is one to three numbers of fields, 0 to {FIELDS - 1}, parted by blanks; not {text!r}"
    return UnreadableMove("BAD_MOVE_IS_UNREADABLE", sentence)


def _land(state: State, numbers: list[int]) -> tuple[int, int, int | None]:
    """Return the mover's other pieces, the field that a piece comes to, as sets, and the number of one to take."""
    mover = SIDES[state.side]
    if state.own_hand != 0:
        if len(numbers) == MAX_NUMBERS:
            sentence = f"{mover} places a piece as long as there is one in hand, {state.own_hand} now: p or p t"
            raise IllegalMove("BAD_MOVE_HAND_IS_NOT_EMPTY", sentence)
        rest, target, *named = state.own, *numbers
        meaning = f"{mover} has {state.own_hand} in hand and places a piece on {target}"
    else:
        if len(numbers) == 1:
            sentence = f"{mover} has no piece in hand and moves one on the board: f t or f t c"
            raise IllegalMove("BAD_MOVE_HAND_IS_EMPTY", sentence)
        source, target, *named = numbers
        rest = state.own & ~(1 << source)
        if rest == state.own:
            sentence = f"no piece of {mover} stands on {source}; its pieces stand on {_list(state.own)}"
            raise IllegalMove(f"BAD_MOVE_{source}_IS_NOT_YOURS", sentence)
        meaning = f"{mover} moves a piece from {source} to {target}"
    empty = BOARD & ~(state.own | state.other)
    if not empty >> target & 1:
        sentence = f"{meaning}, but that field is occupied"
        raise IllegalMove(f"BAD_MOVE_{target}_IS_OCCUPIED", sentence)
    if state.own_hand == 0 and popcount(state.own) != FLYING and not neighbours(1 << source) >> target & 1:
        free = _list(neighbours(1 << source) & empty) or "none"
        sentence = f"{target} is no neighbour of {source}, whose free neighbours are: {free}"
        raise IllegalMove(f"BAD_MOVE_{target}_IS_NO_NEIGHBOUR", sentence)
    return rest, 1 << target, named[0] if named else None


def _taken(state: State, text: str, mill: bool, named: int | None) -> int:
    """Return the piece that a move takes, as a set; none where none is named and none is due."""
    prey = bind().removable(state.other) if mill else 0
    if named is None:
        if prey:
            sentence = f"the move makes a mill and takes a piece: name one of {_list(prey)} after it"
            raise IllegalMove("BAD_MOVE_CAPTURE_IS_DUE", sentence)
        return 0
    opponent = SIDES[1 - state.side]
    if not prey:
        why = f"but {opponent} has no piece on the board" if mill else "for it makes no mill"
        sentence = f"{text!r} would take the piece on {named}, but the move takes none, {why}"
        raise IllegalMove("BAD_MOVE_CAPTURE_IS_NOT_DUE", sentence)
    if not state.other >> named & 1:
        sentence = f"no piece of {opponent} stands on {named}; one of {_list(prey)} can be taken"
        raise IllegalMove(f"BAD_MOVE_{named}_IS_NO_PIECE_TO_TAKE", sentence)
    if not prey >> named & 1:
        sentence = f"the piece on {named} stands in a mill; one of {_list(prey)} can be taken, which stand in none"
        raise IllegalMove(f"BAD_MOVE_{named}_STANDS_IN_A_MILL", sentence)
    return 1 << named


def _list(fields: int) -> str:
    return ", ".join(map(str, numbers_of(fields)))
