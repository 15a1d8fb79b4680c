"""The best moves of a position, each with its line: exact where a tablebase knows them, else as a search finds them."""

from collections.abc import Callable
from dataclasses import replace

from engine.games.history import History
from engine.games.interface import Position
from engine.search.game_engine import VariantSearchers
from engine.search.searcher import PlayedKeys, SearchLimits, SearchResult, Stop
from engine.solve.tablebase.tablebase import Tablebase


class Analyst:
    """Thinks about games of any variant, one at a time. What it found serves as long as the variant stays the same."""

    def __init__(self, megabytes: float, tablebase_of: Callable[[Position], Tablebase | None]) -> None:
        """Take the size of the table of a search, and what knows the tablebase of a variant."""
        self._searchers = VariantSearchers(megabytes, tablebase_of)
        self._keys = PlayedKeys()

    def best(
        self, history: History, limits: SearchLimits, *, clock: Callable[[], float], stop: Stop
    ) -> list[SearchResult]:
        """Return as many of the best moves as the limits say, the best one first; fewer where the time was too short.

        Those of a search may be of two depths: where the last one was cut off, moves follow that the one before has
        found. A position that stood on the board before counts as a draw. Raises ValueError for a game that is over
        on the board, OverflowError where there are too many moves to think about.
        """
        position = history.position
        searcher = self._searchers.searcher(position)
        earlier = self._keys.before(history)
        tablebase = self._searchers.tablebase
        if tablebase is not None and (known := tablebase.results(position, limits.lines, earlier)):
            return known
        depths: dict[int, list[SearchResult]] = {}
        thought = searcher.think(
            position,
            earlier,
            limits,
            clock=clock,
            report=lambda result: depths.setdefault(result.depth, []).append(result),
            stop=stop,
        )
        found: dict[int, SearchResult] = {}
        for depth in sorted(depths, reverse=True):
            for result in depths[depth]:
                found.setdefault(result.line[0], replace(result, nodes=thought.nodes))
        return list(found.values())[: limits.lines]
