"""Compiling in the background: a bot never waits for the compiler while its clock runs.

Without cached code, compiling takes some seconds, and slows the interpreter down. So another process compiles, and
saves the code on disk; a thread then loads it from there. Until that is done the rules are interpreted.
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
    """Compiled code by board. ``warm_up`` compiles or loads the search of a position."""

    def __init__(self, warm_up: Callable[[Position], None]) -> None:
        """Start without loaded code."""
        self._warm_up = warm_up
        self._loaded: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()
        self._threads: dict[Hashable, threading.Thread] = {}

    def load(self, position: Position) -> None:
        """Compile or load the code of a position, and wait for it."""
        self._load(position)

    def start(self, position: Position) -> None:
        """Start to compile and load the code of a position in a thread, unless that was started before."""
        key = _code_key(position)
        if key not in self._threads and not self._is_loaded(position):
            thread = threading.Thread(target=self._compile_and_load, args=(position,), daemon=True)
            self._threads[key] = thread
            thread.start()

    def wait(self, position: Position, seconds: float) -> bool:
        """Wait at most ``seconds`` for code to be loaded; return whether it is."""
        thread = self._threads.get(_code_key(position))
        if thread is not None:
            thread.join(seconds)
        return self._is_loaded(position)

    def kernel(self, position: Position) -> Kernel:
        """Return the kernel of a position: compiled if that is loaded, else interpreted."""
        loaded, key = self._is_loaded(position), _code_key(position)
        with self._lock:
            if key in self._loaded:
                self._loaded.move_to_end(key)
        return position.kernel(compile=loaded)

    def _is_loaded(self, position: Position) -> bool:
        return _code_key(position) in self._loaded

    def _compile_and_load(self, position: Position) -> None:
        arguments = (position.game.name, position.parameters)
        # if it fails, the thread compiles, only later
        subprocess.run([sys.executable, "-P", "-m", "bots", "warm", *arguments], stdin=subprocess.DEVNULL, check=False)
        self._load(position)

    def _load(self, position: Position) -> None:
        if position.kernel().compiled:
            self._warm_up(position)
        with self._lock:
            self._loaded[_code_key(position)] = None
            while len(self._loaded) > MAX_LOADED:
                oldest, _ = self._loaded.popitem(last=False)
                self._threads.pop(oldest, None)


def _code_key(position: Position) -> Hashable:
    """Return the key of the compiled code of a position; other reserves share the same code."""
    return position.kernel(compile=False).rules.label


def start_of(game: str, parameters: str) -> Position:
    """Return the first position of a game; empty parameters mean the default. Raises `BadParameters`."""
    return GAMES[game].start(parameters or GAMES[game].default_parameters)
