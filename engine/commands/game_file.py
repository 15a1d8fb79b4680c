"""Files of games with the same settings: JSON lines, first the settings, then a line for each game.

A line is written in one piece. A last line without a newline is incomplete and ignored. Interrupted work resumes at the
end of its file.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

import msgspec

from engine.commands.program import Rejected, reason, say
from engine.system import lock

Settings = TypeVar("Settings", bound=msgspec.Struct)
Game = TypeVar("Game", bound=msgspec.Struct)
Line = TypeVar("Line")


def line_of(value: object) -> bytes:
    """Return a line of a file, with its newline."""
    return msgspec.json.encode(value) + b"\n"


class GameFormat(NamedTuple, Generic[Settings, Game]):
    """A kind of file: decoders of its lines, and their names in errors."""

    setting: msgspec.json.Decoder[Settings]
    game: msgspec.json.Decoder[Game]
    what: str
    """The work of the file, for example "duel"."""
    one: str
    """The content of a line, for example "pair"."""

    def read(self, content: bytes, place: str) -> tuple[Settings, list[Game]]:
        """Return the settings and the games of a file; raises `Rejected`. ``place`` is its name in errors."""
        first, *lines = content.split(b"\n")[:-1] or [b""]
        setting = _decode(first, self.setting, f"{place}: line 1: this is no setting of a {self.what}")
        this = f"this is no {self.one} of a {self.what}"
        return setting, [_decode(line, self.game, f"{place}: line {at}: {this}") for at, line in enumerate(lines, 2)]


def differences(there: msgspec.Struct, here: msgspec.Struct) -> str:
    """Return the names of the fields in which two settings differ."""
    names = there.__struct_fields__
    return ", ".join(name.replace("_", " ") for name in names if getattr(there, name) != getattr(here, name))


def _decode(line: bytes, decoder: msgspec.json.Decoder[Line], fault: str) -> Line:
    try:
        return decoder.decode(line)
    except msgspec.DecodeError as error:
        raise Rejected(f"{fault}: {error}") from None


class GameFile(Generic[Settings, Game]):
    """A file to which games are appended. Without a file nothing is stored."""

    def __init__(self, place: str, file: BinaryIO | None, format: GameFormat[Settings, Game]) -> None:
        """Take a file that is open to read and append. ``place`` is its name in errors."""
        self._place = place
        self._file = file
        self._format = format

    def resume(self, setting: Settings) -> list[Game]:
        """Return the games of the file. An empty file gets its first line, the settings. Raises `Rejected`.

        An incomplete last line is removed with a message on stderr. A file with other settings, or of another kind, is
        not changed.
        """
        if self._file is None:
            return []
        self._file.seek(0)
        content = self._file.read()
        if not content:
            self._file.write(line_of(setting))
            return []
        there, found = self._format.read(content, self._place)
        if differ := differences(there, setting):
            what = f"this file holds another {self._format.what} (different: {differ})"
            raise Rejected(f"{self._place}: {what}; use another file or the same options")
        complete = content.rfind(b"\n") + 1
        if complete < len(content):
            say(f"{self._place}: its last line is incomplete; that {self._format.one} is played again")
            self._file.truncate(complete)
        return found

    def append(self, game: Game) -> None:
        """Append a game; raises OSError."""
        if self._file is not None:
            self._file.write(line_of(game))


@contextmanager
def opened_to_append(
    name: Path | str | None, place: str, format: GameFormat[Settings, Game]
) -> Iterator[GameFile[Settings, Game]]:
    """Open or create a file of games to append, and lock it; raises `Rejected`.

    ``place`` is its name in errors. Without ``name`` no file is opened.
    """
    with nullcontext() if name is None else opened_alone(name, place, format.what) as file:
        yield GameFile(place, file, format)


@contextmanager
def opened_alone(name: Path | str, place: str, what: str) -> Iterator[BinaryIO]:
    """Open or create a file to read and append, and lock it; raises `Rejected`.

    ``place`` is its name in errors, and ``what`` is the work that it stores.
    """
    try:
        file = Path(name).open("a+b", buffering=0)  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise Rejected(f"{place}: cannot be written: {reason(error)}") from None
    with file:
        try:
            lock(file)
        except OSError:
            raise Rejected(f"{place}: another {what} is writing to it") from None
        yield file
