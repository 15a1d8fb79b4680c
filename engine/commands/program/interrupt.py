"""Ctrl-C while a command is being loaded, or is just ending: it ends at once, without a traceback."""

import gc
import signal
from collections.abc import Callable
from importlib import import_module
from typing import Any


def load(module: str, name: str = "main") -> Callable[[], Any]:
    """Return a function of a module, during whose import Ctrl-C ends the process as a signal does that nobody handles.

    Where the process ignores Ctrl-C, as one in the background of a script does, it goes on doing so.
    """
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # what is loaded stays: looking through it takes a sixth of the time that a start takes
    function: Callable[[], Any] = getattr(import_module(module), name)
    gc.freeze()
    gc.enable()
    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return function


def no_more() -> None:
    """Let Ctrl-C end the process at once from now on: all that is left is to end."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
