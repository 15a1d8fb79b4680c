"""Compiled code that is made ready beside a game: a bot never waits for the compiler while its clock runs.

Compiling takes some seconds where no compiled code is kept yet, and the interpreter is slow while it happens. So a
process of its own compiles, which keeps what it made on disk; a thread then loads it from there, and until that is
done the rules are interpreted.
"""

import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from engine.games.catalogue import GAMES
from engine.games.interface import Kernel, Position

MAX_LOADED = 32
"""Boards whose compiled code counts as loaded, the latest first: as many as the games keep (`engine.games.mnk.kernel`).
Who comes back to another one plays interpreted until it is loaded again, in a fraction of a second."""


class Precompilation:
    """Which boards' compiled code is loaded. ``warm_up`` compiles or loads all that a position's search needs."""

    def __init__(self, warm_up: Callable[[Position], None]) -> None:
        """Begin with nothing loaded."""
        self._warm_up = warm_up
        self._loaded: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()
        self._begun: dict[Hashable, threading.Thread] = {}

    def now(self, position: Position) -> None:
        """Compile or load, and wait for it."""
        self._load(position)

    def beside(self, position: Position) -> None:
        """Begin to compile and load, unless that was begun before."""
        key = _board(position)
        if key not in self._begun and not self._is_loaded(position):
            thread = threading.Thread(target=self._compile_and_load, args=(position,), daemon=True)
            self._begun[key] = thread
            thread.start()

    def wait(self, position: Position, seconds: float) -> bool:
        """Wait for what was begun, so many seconds at most; tell whether it is loaded."""
        thread = self._begun.get(_board(position))
        if thread is not None:
            thread.join(seconds)
        return self._is_loaded(position)

    def kernel(self, position: Position) -> Kernel:
        """Return a position's kernel: compiled when that is loaded, else interpreted."""
        loaded, key = self._is_loaded(position), _board(position)
        with self._lock:
            if key in self._loaded:
                self._loaded.move_to_end(key)
        return position.kernel(compile=loaded)

    def _is_loaded(self, position: Position) -> bool:
        return _board(position) in self._loaded

    def _compile_and_load(self, position: Position) -> None:
        arguments = (position.game.name, position.parameters)
        # when it fails, the thread compiles: later, but rightly
        subprocess.run([sys.executable, "-P", "-m", "bots", "warm", *arguments], stdin=subprocess.DEVNULL, check=False)
        self._load(position)

    def _load(self, position: Position) -> None:
        if position.kernel().compiled:
            self._warm_up(position)
        with self._lock:
            self._loaded[_board(position)] = None
            while len(self._loaded) > MAX_LOADED:
                oldest, _ = self._loaded.popitem(last=False)
                self._begun.pop(oldest, None)


def _board(position: Position) -> Hashable:
    """Return what decides which compiled code a position needs: other reserves need no other code."""
    return position.kernel(compile=False).rules.label


def start_of(game: str, parameters: str) -> Position:
    """Return the start of a game; empty parameters are the game's default. Raises `BadParameters`."""
    return GAMES[game].start(parameters or GAMES[game].default_parameters)
