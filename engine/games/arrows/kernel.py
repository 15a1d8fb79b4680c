"""The rules and the evaluation of arrows bound to the one layout of all boards, interpreted or compiled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from engine.compiling.binding import bind_fields, table
from engine.games.arrows import evaluation, rules
from engine.games.arrows.geometry import layout
from engine.games.interface import Rules


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrowsRules(Rules):
    """The rules of arrows."""

    after: Callable[[rules.State, int], rules.State]
    plies_left: Callable[[rules.State], int]


def tables(*, compile: bool) -> dict[str, Sequence[int]]:
    """Return the tables of the layout by the names by which functions read them."""
    return {name.upper(): table(values, compile=compile) for name, values in layout()._asdict().items()}


@cache
def bind(*, compile: bool = False) -> ArrowsRules:
    """Return the rules of all boards."""
    constants = {"WORDS": rules.WORDS, **tables(compile=compile)}
    return bind_fields(ArrowsRules, (rules, evaluation), "arrows", constants, compile=compile)
