"""Output of a program, whatever encoding its terminal or pipe has: answers, and sentences for people."""

import io
import os
import sys
from collections.abc import Callable


class Rejected(Exception):
    """A command line that cannot be carried out. ``str(error)`` names the place and the fault; status 2."""


def say(sentence: str) -> None:
    """Print a line for people on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def answer(line: str) -> None:
    """Print a line of the answer on stdout, at once."""
    print(line, flush=True)


def fast_answer() -> Callable[[str], None]:
    """Return what does the same with a third of the work, where nobody else prints on stdout any more."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return answer
    sys.stdout.flush()
    descriptor, encoding, errors = sys.stdout.fileno(), sys.stdout.encoding, sys.stdout.errors or "strict"

    def write(line: str) -> None:
        data = f"{line}\n".encode(encoding, errors)
        while (written := os.write(descriptor, data)) < len(data):
            data = data[written:]

    return write


def escape_what_cannot_be_shown() -> None:
    r"""Let stdout show what its encoding lacks as an escape, ``\xfc`` say, as stderr does, in place of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
