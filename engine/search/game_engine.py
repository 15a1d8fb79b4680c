"""Advice on the move in a game: one searcher, kept from move to move, for whatever variant is played just now."""

from collections.abc import Callable

from engine.games.history import History
from engine.levels import MAX_LEVEL
from engine.search.searcher import PlayedKeys, Searcher, SearchLimits, SearchResult, Stop, warm_up

Clock = Callable[[], float]
"""Gives seconds from any beginning."""


class GameEngine:
    """Thinks about games of any variant, one at a time. Its table serves as long as the variant stays the same."""

    def __init__(self, megabytes: float | None = None) -> None:
        """Take the size of the table; the usual one where none is given."""
        self._megabytes = megabytes
        self._searcher: Searcher | None = None
        self._keys = PlayedKeys()
        self._rules: object = None

    def is_ready(self, history: History) -> bool:
        """Tell whether the variant of a game is the one that was thought about last."""
        return history.position.kernel().rules is self._rules

    def get_ready(self, history: History) -> None:
        """Compile, or load what was compiled before: seconds the first time. `think` does it where it was not done."""
        kernel = history.position.kernel()
        if kernel.rules is not self._rules:
            if kernel.compiled:
                warm_up(history.position)
            self._searcher = Searcher(kernel, megabytes=self._megabytes)
            self._rules = kernel.rules

    def think(
        self, history: History, seconds: float, *, level: int = MAX_LEVEL, clock: Clock, stop: Stop | None = None
    ) -> SearchResult:
        """Return the best move found in so many seconds, or sooner where there is but one or no more to find out.

        ``level`` is one of `engine.levels`: below the highest one the same game has the same moves, as long as the
        time suffices. A position that stood on the board before counts as a draw. Raises ValueError for a game that is
        over on the board.
        """
        self.get_ready(history)
        assert self._searcher is not None
        position = history.position
        successors = position.successors()
        next(successors, None)
        if next(successors, None) is None:
            return self._searcher.think(position, (), SearchLimits(depth=1), clock=clock, stop=stop)
        limits = SearchLimits(hard_ms=seconds * 1000, level=level)
        return self._searcher.think(position, self._keys.before(history), limits, clock=clock, stop=stop)
