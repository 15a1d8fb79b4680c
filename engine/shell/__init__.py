"""The command protocols of the assignments: commands on stdin, a line each, answers on stdout."""

from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast


class UnknownShell(LookupError):
    """A game that has no shell. ``str(error)`` is a sentence that names those that have one."""


def unbuffered() -> None:
    """Flush nothing: what is written is passed on at once."""


class Shell(Protocol):
    """What carries out the commands of a game's protocol."""

    def __call__(
        self,
        lines: Iterable[str],
        write: Callable[[str], None],
        complain: Callable[[str], None],
        *,
        flush: Callable[[], None] = unbuffered,
        strict: bool,
        clock: Callable[[], float],
    ) -> None:
        """Carry out commands until the lines end, no further line being read before the answer to the last is written.

        ``write`` takes an answer, without its last newline. It may keep answers until a line has to be waited for, or
        until ``flush``, which is called before work that may take longer than some ten milliseconds. ``complain``
        takes a sentence for people. ``clock`` gives seconds from any beginning. ``strict`` follows the assignments'
        text to the letter where that is unpractical.
        """


class Lines:
    """The lines of a shell's input, of which the last one can be put back."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Take the lines."""
        self._lines = iter(lines)
        self._put_back: str | None = None

    def next(self) -> str | None:
        """Return the line that was put back, or else the next one; None at the end."""
        line, self._put_back = self._put_back, None
        return next(self._lines, None) if line is None else line

    def put_back(self, line: str) -> None:
        """Let `next` return this line again."""
        self._put_back = line


def names() -> list[str]:
    """Return the games that have a shell, in alphabetical order."""
    return sorted(module.name for module in iter_modules(__path__))


def find(game: str) -> Shell:
    """Import the shell of a game; raises `UnknownShell`."""
    if game not in names():
        raise UnknownShell(f"there is no shell {game!r}; the shells are {', '.join(names())}")
    return cast(Shell, import_module(f"{__name__}.{game}").run)
