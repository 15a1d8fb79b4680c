"""The command protocols of the assignments, with commands on stdin and answers on stdout."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import cast


@dataclass
class Shell:
    """Executes the commands of a game's protocol until the end of the input.

    It reads no further line before it writes the answer to the last one.
    """

    lines: Iterable[str]
    write: Callable[[str], None]
    """Writes an answer, given without its last newline. It may be buffered until the next wait for a line, or
    `flush`."""
    complain: Callable[[str], None]
    """Writes an error or a warning for people."""
    clock: Callable[[], float]
    """Returns seconds since any fixed time."""
    strict: bool = False
    """Whether to follow the text of the assignments literally, also where this is not practical."""
    flush: Callable[[], None] = lambda: None
    """Called before work that may take more than some ten milliseconds."""
    _put_back: str | None = None

    def __post_init__(self) -> None:
        """Initialise the state of the game's shell."""

    def run(self) -> None:
        """Execute all commands."""
        raise NotImplementedError

    def next_line(self) -> str | None:
        """Return the line that was put back, or the next line; None at the end."""
        self.lines = iter(self.lines)
        line, self._put_back = self._put_back, None
        return next(self.lines, None) if line is None else line

    def put_back(self, line: str) -> None:
        """Make `next_line` return a line again."""
        self._put_back = line


SHELLS = ("arrows", "gipf", "mnk")
"""The games with a shell, each in a module of this package."""


def find(game: str) -> type[Shell]:
    """Import the shell of a game."""
    return cast(type[Shell], import_module(f"{__name__}.{game}").Commands)
