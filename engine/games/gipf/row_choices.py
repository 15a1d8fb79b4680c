"""Choosing rows one after the other: what a push and the choices so far have come to, and what is left to choose.

`engine.games.gipf.notation` reads whole moves. Who points at rows instead of naming them, asks here after each choice.
"""

from typing import NamedTuple

from engine.games.gipf import notation
from engine.games.gipf.kernel import bind
from engine.games.gipf.notation import Choice, choice_text, names, rows_due
from engine.games.gipf.position import GipfPosition


class Row(NamedTuple):
    """A row to be taken: how it is named in a move, and its fields from one end to the other, of both colours."""

    text: str
    fields: tuple[str, ...]


class Choosing(NamedTuple):
    """What a push and the choices so far have come to."""

    position: GipfPosition
    """The board as it is then; the opponent's turn."""
    taken: tuple[Row, ...]
    """The rows that were taken, chosen or not."""
    crossing: tuple[Row, ...]
    """The rows that cross, of which one is to be chosen next; none where the move is complete."""


def pushes(position: GipfPosition) -> list[str]:
    """Return every push that may be made, in the documented order, without row choices; none when the game is over."""
    size, run, *_ = position.variant
    rules = bind(size, run)
    if not rules.can_push(position.state):
        return []
    occupied = position.state.white | position.state.black
    return [names(size).texts[number] for number, line in enumerate(rules.LINE) if line & ~occupied]


def choosing(position: GipfPosition, text: str) -> Choosing:
    """Carry out a push and the choices named behind it, as far as they go.

    Only rows that cross others may be named. Raises `engine.games.interface.BadMove` as `notation.resolve` does.
    """
    size, run, *_ = position.variant
    rules = bind(size, run)
    push, named = notation.split(text)
    if push not in pushes(position):
        notation.resolve(size, run, position.state, push)  # says what is wrong with it
    mover = position.state.side
    state = rules.after_push(position.state, names(size).pushes[push])
    taken: list[Row] = []
    for colour in (mover, 1 - mover):
        while True:
            free, crossing = rows_due(size, rules, state, colour)
            for choice in free:
                state = rules.collect(state, colour, choice.row)
                taken.append(_row(size, choice))
            if not crossing:
                break
            if not named:
                return Choosing(
                    GipfPosition(position.variant, state),
                    tuple(taken),
                    tuple(_row(size, choice) for choice in crossing),
                )
            chosen = next((choice for choice in crossing if named[0].ends in choice.ends), None)
            if chosen is None:
                raise notation.not_there(size, rules, state, named[0])
            named = named[1:]
            state = rules.collect(state, colour, chosen.row)
            taken.append(_row(size, chosen))
    if named:
        raise notation.not_there(size, rules, state, named[0])
    return Choosing(GipfPosition(position.variant, state), tuple(taken), ())


def _row(size: int, choice: Choice) -> Row:
    fields = tuple(name for name, bit in names(size).fields.items() if choice.row & bit)
    return Row(choice_text(size, choice), fields)
