"""Files of games that were played under one setting: JSON lines, the setting first, then a line for each game.

A line is written in one piece. A last line without a newline is half written, and counts as not there. A file is opened
to append to it, and to resume work that was interrupted.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

import msgspec

from engine.commands.program import Rejected, reason, say
from engine.system import lock

Setting = TypeVar("Setting", bound=msgspec.Struct)
Played = TypeVar("Played", bound=msgspec.Struct)
Line = TypeVar("Line")


def line_of(value: object) -> bytes:
    """Return a line of such a file, its newline included."""
    return msgspec.json.encode(value) + b"\n"


class GameFormat(NamedTuple, Generic[Setting, Played]):
    """A kind of file: decoders of its lines, and their names in sentences."""

    setting: msgspec.json.Decoder[Setting]
    game: msgspec.json.Decoder[Played]
    what: str
    """As in "duel": the file is one of a duel."""
    one: str
    """As in "pair": a line is a pair."""

    def read(self, content: bytes, place: str) -> tuple[Setting, list[Played]]:
        """Return the setting and the games of a file; raises `Rejected`. ``place`` names the file in errors."""
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


class GameFile(Generic[Setting, Played]):
    """A file that games are appended to; without a file nothing is kept."""

    def __init__(self, place: str, file: BinaryIO | None, format: GameFormat[Setting, Played]) -> None:
        """Take a file that was opened to read and append; ``place`` names it in errors."""
        self._place = place
        self._file = file
        self._format = format

    def resume(self, setting: Setting) -> list[Played]:
        """Return the games of the file; an empty file gets its first line, the setting. Raises `Rejected`.

        A last line that was not written to the end is cut away, and people are told. A file of another setting, or
        a file of another kind, is left as it is.
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
            raise Rejected(f"{self._place}: {what}; name another file, or ask for the same")
        complete = content.rfind(b"\n") + 1
        if complete < len(content):
            say(f"{self._place}: its last line was not written to the end; that {self._format.one} is played again")
            self._file.truncate(complete)
        return found

    def keep(self, game: Played) -> None:
        """Append a game; raises OSError."""
        if self._file is not None:
            self._file.write(line_of(game))


@contextmanager
def opened_to_append(
    name: Path | str | None, place: str, format: GameFormat[Setting, Played]
) -> Iterator[GameFile[Setting, Played]]:
    """Open a file to read and append, a new one where there is none, for this process alone; raises `Rejected`.

    ``place`` names the file in errors. Without a name nothing is opened.
    """
    with nullcontext() if name is None else opened_alone(name, place, format.what) as file:
        yield GameFile(place, file, format)


@contextmanager
def opened_alone(name: Path | str, place: str, what: str) -> Iterator[BinaryIO]:
    """Open a file to read and append, a new one where there is none, for this process alone; raises `Rejected`.

    ``place`` names the file in errors, and ``what`` the work that is stored there.
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
