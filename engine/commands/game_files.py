"""Opening files of games to append to them, and resuming work that was interrupted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from engine.commands.program import Rejected, say
from engine.commands.usage_errors import reason
from engine.duel.game_file import line_of

try:
    import fcntl
except ImportError:  # not on every system are there such locks
    fcntl = None  # type: ignore[assignment]

Played = TypeVar("Played")


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
