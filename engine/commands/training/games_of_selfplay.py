"""Playing games of self-play by their numbers, in whatever process: of this machine, or a worker of a cluster."""

import threading
from collections.abc import Iterable
from functools import cache

from engine.commands.inputs import game_named, start_of
from engine.duel.training.selfplay import ScoredGame, Setting, play
from engine.games.catalogue import variant_title
from engine.games.interface import Kernel
from engine.search.searcher import warm_up

_WARMING = threading.Lock()
"""Threads of a worker compile once."""


def play_some(setting: Setting, numbers: Iterable[int]) -> list[ScoredGame]:
    """Play some games; raises ValueError where this version evaluates positions otherwise than the setting says."""
    with _WARMING:
        kernel = _kernel(setting.game, setting.parameters)
    if kernel.rules.label != setting.evaluation:
        raise ValueError(
            f"a worker evaluates {variant_title(f'{setting.game} {setting.parameters}')} otherwise than this program: "
            "it has another version of gipf-arena"
        )
    return [play(kernel, setting, number) for number in numbers]


@cache
def _kernel(game: str, parameters: str) -> Kernel:
    """Return the kernel of a variant, all compiled that playing needs."""
    start = start_of(game_named(game), parameters)
    warm_up(start)
    return start.kernel()
