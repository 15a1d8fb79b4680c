"""Playing games of self-play by their numbers, in whatever process: of this machine, or a worker of a cluster."""

import threading
from collections.abc import Iterable
from functools import cache, partial

from engine.commands.inputs import game_named, say_compiling, start_of
from engine.duel.training.selfplay import ScoredGame, Setting, play
from engine.games.catalogue import variant_title
from engine.games.interface import Kernel
from engine.search.game_engine import AdaptiveWork
from engine.search.searcher import Stop

_BEGINNING = threading.Lock()
"""Threads of a worker have one process compile."""


def play_some(setting: Setting, numbers: Iterable[int], *, compiles: bool = True) -> list[ScoredGame]:
    """Play some games, each compiled where compiled code is there, or comes meanwhile.

    Without ``compiles`` somebody else has that made. Raises ValueError where this version evaluates positions otherwise
    than the setting says.
    """
    with _BEGINNING:
        label, work = _work(setting.game, setting.parameters, compiles)
    if label != setting.evaluation:
        raise ValueError(
            f"a worker evaluates {variant_title(f'{setting.game} {setting.parameters}')} otherwise than this program: "
            "it has another version of gipf-arena"
        )
    return [work.do(partial(_game, setting, number)) for number in numbers]


def _game(setting: Setting, number: int, kernel: Kernel, stop: Stop) -> ScoredGame:
    return play(kernel, setting, number, stop)


def start_compiling(setting: Setting) -> None:
    """Have compiled code made for all processes that play here."""
    _work(setting.game, setting.parameters, True)[1].start_compiling()


@cache
def _work(game: str, parameters: str, compiles: bool) -> tuple[str, AdaptiveWork]:
    """Return the label of a variant's rules, and what plays it."""
    start = start_of(game_named(game), parameters)
    work = AdaptiveWork(start, compiling=(lambda: say_compiling(start)) if compiles else None)
    return start.kernel(compile=False).rules.label, work
