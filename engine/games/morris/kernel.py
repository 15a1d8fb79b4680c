"""Rules, evaluation and symmetry of nine men's morris bound together, interpreted or compiled."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from engine.compiling.binding import bind_fields
from engine.games.interface import Generate, Rules
from engine.games.morris import evaluation, fields, rules
from engine.games.morris.rules import State


@dataclass(frozen=True, kw_only=True, eq=False)
class MorrisRules(Rules):
    """The rules of nine men's morris."""

    can_move: Callable[[State], bool]
    too_few: Callable[[State], bool]
    count_moves: Callable[[State], int]
    removable: Callable[[int], int]
    completing: Callable[[int], int]
    canonical: Callable[[State], State]
    tactical_children: Generate
    candidates: Generate


@cache
def bind(*, compile: bool = False) -> MorrisRules:
    """Return the rules."""
    modules = fields, rules, evaluation
    return bind_fields(MorrisRules, modules, "morris", {"WORDS": rules.WORDS}, compile=compile)
