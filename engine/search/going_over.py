"""Work that begins interpreted, and begins again compiled as soon as compiled code is there.

Interpreted and compiled searches find the same, node for node, so only the time decides when that happens, and nothing
else depends on it. Small work ends before anything is compiled.
"""

from collections.abc import Callable
from typing import TypeVar

from engine.compiling.binding import can_compile
from engine.games.interface import Kernel, Position
from engine.search.alphabeta import compiled_code
from engine.search.binding import CodeSource
from engine.search.searcher import Stop

START_NODES = 1000
"""Nodes of interpreted search after which a process is started that compiles: some hundredths of a second."""

NODES_A_LOOK = 100
"""Nodes of interpreted search between two looks at whether compiled code is there."""

Result = TypeVar("Result")


class UntilReady(Stop):
    """What ends an interpreted search when compiled code is there, or when another stop does."""

    def __init__(self, code: CodeSource, other: Stop) -> None:
        """Take what knows of the code, and the other stop."""
        super().__init__()
        self._code = code
        self._other = other
        self._nodes = 0
        self.is_interrupted = False
        """Whether the search was ended because of the code."""

    def is_set(self) -> bool:
        """Tell whether the search has to end; asked at every node, of which the first ones have nothing compiled."""
        self._nodes += 1
        if self._nodes % NODES_A_LOOK == 0:
            if self._nodes >= START_NODES:
                self._code.start()
            self.is_interrupted = self.is_interrupted or self._code.is_ready()
        return self.is_interrupted or self._other.is_set()


class CodeIsThere(Exception):
    """Ends interpreted work in the midst of a search, since compiled code is there for it."""


class _Abandoning(UntilReady):
    def is_set(self) -> bool:
        if super().is_set():
            raise CodeIsThere
        return False


class AdaptiveWork:
    """Carries out work on one variant, each piece interpreted or compiled from its beginning to its end."""

    def __init__(
        self,
        position: Position,
        *,
        code: CodeSource | None = None,
        compiling: Callable[[], None] | None = lambda: None,
    ) -> None:
        """Take a position of the variant, and what knows of its compiled search; without it, that of the board.

        ``compiling`` is told once, when another process is asked to compile; None where none is to be asked, since
        somebody else does that.
        """
        self._position = position
        self._code = _Telling(compiled_code(position) if code is None else code, compiling)

    @property
    def is_compiled(self) -> bool:
        """Tell whether the next piece of work is compiled from its beginning."""
        return self._code.is_ready()

    def start_compiling(self) -> None:
        """Have compiled code made, where it is not there, for others that keep all cores busy.

        Long work begins with that by itself, but at the lowest priority.
        """
        if not self._code.is_ready():
            self._code.start(urgent=True)

    def do(self, work: Callable[[Kernel, Stop], Result]) -> Result:
        """Return what work returns, given a kernel of the position and a stop for all of its searches.

        Work must not change anything that outlives it: it may be given up in the midst of a search, and begun again.
        """
        if not self._code.is_ready():
            try:
                return work(self._position.kernel(compile=False), _Abandoning(self._code, Stop()))
            except CodeIsThere:
                pass
        return work(self._position.kernel(), Stop())


class _Telling:
    """Code of which somebody is told, once, that it is being made."""

    def __init__(self, code: CodeSource, compiling: Callable[[], None] | None) -> None:
        self._code = code
        self._compiling = compiling
        self._is_told = False

    def is_ready(self) -> bool:
        return self._code.is_ready()

    def start(self, *, urgent: bool = False) -> None:
        if self._compiling is None:
            return
        self._code.start(urgent=urgent)
        if not self._is_told and can_compile():
            self._is_told = True
            self._compiling()

    def wait(self, seconds: float | None = None) -> bool:
        return self._code.wait(seconds)
