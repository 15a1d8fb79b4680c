"""What a game's kernel may tell beside its rules, as it is where the kernel says nothing.

`engine.search.binding.bind` leaves out a function here for the kernel's own of the same name.
"""

from typing import Any

from engine.games.interface import MINE, THEIRS

# What is bound in the place of this: the rules of a game.
children: Any = None

MARGIN = 0
"""By how much a quiet move usually changes the evaluation, at the most; 0 where nothing is to be built on that."""

KINDS = 1 << 12
"""Only so many low bits of `kind_of` are looked at, as a number of kinds; a power of two."""


def tactical_children(state: Any, arena: Any, first: int) -> int:
    """Write the children to be looked at before a position is judged: none."""
    return first


def candidates(state: Any, arena: Any, first: int) -> int:
    """Write children among which one is as good as the best: all of them."""
    return children(state, arena, first)


def can_still_win(state: Any) -> int:
    """Tell who may still win: both."""
    return MINE + THEIRS


def least_plies(state: Any, winning: bool) -> int:
    """Return a number of plies before which the side to move does not win, or does not lose: none."""
    return 0


def canonical(state: Any) -> Any:
    """Return the position that stands for all symmetric ones: itself."""
    return state


def kind_of(state: Any, child: Any) -> int:
    """Return a number that children share which come about by the same move elsewhere: one for all."""
    return 0


FUNCTIONS = (kind_of, tactical_children, candidates, can_still_win, least_plies, canonical)
