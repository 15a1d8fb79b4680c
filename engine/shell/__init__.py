"""The command protocols of the assignments: commands on stdin, a line each, answers on stdout."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import cast


@dataclass
class Shell:
    """Carries out the commands of a game's protocol until the lines end.

    No further line is read before the answer to the last one is written.
    """

    lines: Iterable[str]
    write: Callable[[str], None]
    """Takes an answer without its last newline, and may keep it until a line has to be waited for, or until `flush`."""
    complain: Callable[[str], None]
    """Takes a sentence for people."""
    clock: Callable[[], float]
    """Gives seconds from any beginning."""
    strict: bool = False
    """Whether to follow the assignments' text to the letter where that is unpractical."""
    flush: Callable[[], None] = lambda: None
    """Is called before work that may take longer than some ten milliseconds."""
    _put_back: str | None = None

    def __post_init__(self) -> None:
        """Begin; each game has a state of its own."""

    def run(self) -> None:
        """Carry out one line after the other."""
        raise NotImplementedError

    def next_line(self) -> str | None:
        """Return the line that was put back, or else the next one; None at the end."""
        self.lines = iter(self.lines)
        line, self._put_back = self._put_back, None
        return next(self.lines, None) if line is None else line

    def put_back(self, line: str) -> None:
        """Let `next_line` return this line again."""
        self._put_back = line


SHELLS = ("arrows", "gipf", "mnk")
"""The games that have a shell, each a module of this package."""


def find(game: str) -> type[Shell]:
    """Import the shell of a game that has one."""
    return cast(type[Shell], import_module(f"{__name__}.{game}").Commands)
