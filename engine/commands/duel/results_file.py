"""Files of games that grow by a line at a time, and are gone on with; the one that a duel's results are kept in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from engine.commands.program.output import Rejected, say
from engine.commands.usage_errors import reason
from engine.duel.game_file import BadGames, line_of
from engine.duel.games import Pair
from engine.duel.results import Setting, read

try:
    import fcntl
except ImportError:  # not on every system are there such locks
    fcntl = None  # type: ignore[assignment]

Played = TypeVar("Played")


class ResultsFile:
    """Where pairs of games are kept; nowhere, where there is no file."""

    def __init__(self, name: str, file: BinaryIO | None) -> None:
        """Take a file that was opened to read and append."""
        self._name = name
        self._file = file

    def resume(self, setting: Setting) -> list[Pair]:
        """Return the pairs that are in the file, which must be of this setting; an empty one becomes so.

        A last line that was half written when the duel was broken off is cut away. Raises `Rejected`.
        """
        if self._file is None:
            return []
        try:
            return resume(self._file, self._name, "pair", setting, lambda content: read(content, setting))
        except BadGames as error:
            raise Rejected(f"--results {self._name}: {error}") from None

    def write(self, pair: Pair) -> None:
        """Append a pair, in one piece."""
        if self._file is not None:
            self._file.write(line_of(pair))


@contextmanager
def opened(name: str | None) -> Iterator[ResultsFile]:
    """Open a file of results, a new one where there is none; without a name, none. Raises `Rejected`."""
    if name is None:
        yield ResultsFile("", None)
        return
    with opened_to_append(name, f"--results {name}", "duel") as file:
        yield ResultsFile(name, file)


@contextmanager
def opened_to_append(name: str, place: str, writer: str) -> Iterator[BinaryIO]:
    """Open a file to read and append, a new one where there is none, for this process alone; raises `Rejected`.

    ``place`` is how errors name the file, and ``writer`` what may be writing to it.
    """
    try:
        file = Path(name).open("a+b", buffering=0)  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise Rejected(f"{place}: cannot be written: {reason(error)}") from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Rejected(f"{place}: another {writer} is writing to it") from None
        yield file


def resume(
    file: BinaryIO, name: str, what: str, setting: msgspec.Struct, read: Callable[[bytes], list[Played]]
) -> list[Played]:
    """Return what was played by a file, as ``read`` finds it; an empty file gets its first line, the setting.

    A last line that was not written to the end is cut away, and people are told; ``what`` says what is played again.
    That is done only when ``read`` has not raised: it knows what is no file of ours.
    """
    file.seek(0)
    content = file.read()
    if not content:
        file.write(line_of(setting))
        return []
    found = read(content)
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        say(f"{name}: its last line was not written to the end; that {what} is played again")
        file.truncate(complete)
    return found
