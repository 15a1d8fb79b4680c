"""A lock per folder of compiled code: one process compiles, and the others load what it has compiled.

Both players of a match begin at the same time, and each would compile the same search for several seconds.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MAX_WAIT_SECONDS = 60.0
"""The process that holds a lock may have been stopped; then the same is compiled twice, which does no harm."""

POLL_SECONDS = 0.02

_held: set[Path] = set()
"""Folders whose lock this process holds; guarded by numba's own lock, under which it compiles."""

_given_up: set[Path] = set()
"""Folders whose lock could not be had in time, guarded in the same way. It is tried again, but not waited for: each
function that is compiled or loaded takes it anew."""


def compile_once(dispatcher: Any, folder: Path) -> None:
    """Make a numba dispatcher hold its folder's lock whenever it compiles or loads compiled code."""
    from numba.core.compiler_lock import global_compiler_lock

    compile = dispatcher.compile

    def compile_locked(signature: Any) -> Any:
        with global_compiler_lock, folder_lock(folder):
            return compile(signature)

    dispatcher.compile = compile_locked


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder while the body runs, or run it without where the lock cannot be had.

    A process that holds the lock already goes on. Bindings call each other in one direction only, so no two
    processes wait for each other.
    """
    if fcntl is None or folder in _held:
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):
            file = stack.enter_context((folder / "lock").open("ab"))
            if _lock(file, 1 if folder in _given_up else int(MAX_WAIT_SECONDS / POLL_SECONDS)):
                _given_up.discard(folder)
            else:
                _given_up.add(folder)
        _held.add(folder)
        try:
            yield
        finally:
            _held.remove(folder)


def _lock(file: BinaryIO, attempts: int) -> bool:
    """Lock a file, POLL_SECONDS between two attempts; tell whether that was possible. Closing the file unlocks it."""
    pause = threading.Event()
    for _ in range(attempts):
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        pause.wait(POLL_SECONDS)
    return False
