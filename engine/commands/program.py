"""Answers, sentences for people and Ctrl-C of a program."""

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, cast

ENCODING, ERRORS = "utf-8", "surrogateescape"
"""Of conversations: any bytes may come in, and go out again as they came."""

MOST_HELD = 1 << 16
"""Characters of answers that are held back at most."""


class Rejected(Exception):
    """A command line that cannot be carried out. ``str(error)`` names the place and the fault; status 2."""


def say(sentence: str) -> None:
    """Print a line for people on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def answer(line: str) -> None:
    """Print a line of the answer on stdout, at once."""
    print(line, flush=True)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Conversation:
    """Lines of stdin, and answers on stdout that are passed on together: before the next line has to be waited for.

    Each answer alone would cost as much as the work on a small question. Whoever works long on one flushes before.
    Nobody else may read stdin or print on stdout meanwhile.
    """

    def __init__(self) -> None:
        """Take over stdin and stdout: any bytes may come in, and go out again as they came."""
        self._held: list[str] = []
        self._size = 0
        self._streams = isinstance(sys.stdin, io.TextIOWrapper) and isinstance(sys.stdout, io.TextIOWrapper)
        self.lines: Iterable[str] = sys.stdin
        """The lines of stdin."""
        self._out = sys.stdout
        if self._streams:
            sys.stdout.flush()
            reader = io.BufferedReader(_Announced(sys.stdin.fileno(), self.flush))
            self.lines = io.TextIOWrapper(reader, "utf-8-sig", ERRORS)  # some editors begin files with a mark

    def write(self, line: str) -> None:
        """Answer a line, at the latest when the next one has to be waited for."""
        self._held.append(f"{line}\n")
        self._size += len(line)
        if self._size > MOST_HELD or not self._streams:
            self.flush()

    def flush(self) -> None:
        """Pass on what was written."""
        text, self._held, self._size = "".join(self._held), [], 0
        if self._streams:
            self._out.buffer.write(text.encode(ENCODING, ERRORS))
        else:
            self._out.write(text)
        self._out.flush()


class _Announced(io.FileIO):
    """A file that calls a function whenever it is going to be read."""

    def __init__(self, descriptor: int, announce: Callable[[], None]) -> None:
        super().__init__(descriptor, closefd=False)
        self._announce = announce

    def readinto(self, buffer: Any, /) -> int | None:
        self._announce()
        return super().readinto(buffer)


class _OutputLost(Exception):
    """Stdout takes nothing more. No OSError: a handler of faults of files and sockets must not explain it."""


class _Output(io.FileIO):
    """The descriptor of stdout. The first write that fails raises `_OutputLost`; later writes are discarded."""

    fault: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.fault is None:
            try:
                return super().write(data)
            except OSError as error:
                self.fault = error
                raise _OutputLost from None
        return len(data)


def run_program(name: str, module: str) -> None:
    r"""Run the main function of a module as the program ``name``.

    Stdout shows characters that its encoding lacks as an escape, ``\xfc`` for example. Where stdout fails, the program
    ends with status 1: quietly if its reader has closed it, otherwise with one sentence on stderr.
    """
    # a write to a file that is open only for reading fails as a write to a closed descriptor does
    before = cast(io.TextIOWrapper, sys.stdout or open(os.devnull))  # noqa: SIM115  # as long as the program runs
    errors = "backslashreplace" if before.errors == "strict" else before.errors
    output = _Output(before.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(output),
        before.encoding,
        errors,
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    try:
        try:
            load(module)()
        finally:
            sys.stdout.flush()
    except BaseException:
        if output.fault is None:
            raise
        if not isinstance(output.fault, BrokenPipeError):
            say(f"{name}: standard output: {output.fault.strerror}")
        sys.exit(1)


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
