"""Compiled code that comes when a test wants it."""

from typing import Any

from engine.games.interface import Position
from engine.games.kernels import KernelSource
from engine.search.alphabeta import SEARCHING


class KernelsAfter(KernelSource):
    """Kernels for which compiled code is there after so many looks, however often it was asked for."""

    def __init__(self, position: Position, looks: float, **options: Any) -> None:
        super().__init__(position, SEARCHING, **options)
        self.looks = looks
        self.started = 0

    def is_ready(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def start(self, *, urgent: bool = False) -> None:
        self.started += 1
        if self.started == 1:
            self._compiling()
