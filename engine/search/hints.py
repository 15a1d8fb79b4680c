"""What a game's kernel may tell beside its rules, as it is where the kernel says nothing.

`engine.search.binding.bind` leaves out a function here for the kernel's own of the same name.
"""

from typing import Any

from engine.game import MINE, THEIRS

# What is bound in the place of this: the rules of a game.
children: Any = None


def loud_children(state: Any, arena: Any, first: int) -> int:
    """Write the children to be looked at before a position is judged: none."""
    return first


def candidates(state: Any, arena: Any, first: int) -> int:
    """Write children among which one is as good as the best: all of them."""
    return children(state, arena, first)


def hopes(state: Any) -> int:
    """Tell who may still win: both."""
    return MINE + THEIRS


def canonical(state: Any) -> Any:
    """Return the position that stands for all symmetric ones: itself."""
    return state


FUNCTIONS = (loud_children, candidates, hopes, canonical)
