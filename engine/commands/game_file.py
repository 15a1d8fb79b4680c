"""Files of games that were played under one setting: JSON lines, the setting first, then a line for each game.

A line is written in one piece. A last line without a newline is half written, and counts as not there. A file is opened
to append to it, and to resume work that was interrupted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from engine.commands.program import Rejected, reason, say

try:
    import fcntl
except ImportError:  # not every system has such locks
    fcntl = None  # type: ignore[assignment]


class Numbered(Protocol):
    """A game with its number."""

    @property
    def number(self) -> int:
        """Different for each line of a file."""


Setting = TypeVar("Setting", bound=msgspec.Struct)
Played = TypeVar("Played", bound=Numbered)
Line = TypeVar("Line")

DIGESTS = ("engine", "weights", "digest")
"""Fields of settings whose values say nothing to people."""


class BadGames(ValueError):
    """A file of games that cannot be used. ``str(error)`` says why, and in which line."""


def line_of(value: object) -> bytes:
    """Return a line of such a file, its newline included."""
    return msgspec.json.encode(value) + b"\n"


class GameFormat(NamedTuple, Generic[Setting, Played]):
    """A kind of file: what reads its lines, and their names in sentences."""

    setting: msgspec.json.Decoder[Setting]
    game: msgspec.json.Decoder[Played]
    what: str
    """As in "duel": the file is one of a duel."""
    one: str
    """As in "pair": a line is a pair."""

    def setting_of(self, content: bytes) -> Setting:
        """Return the setting of a file; raises `BadGames`."""
        line, newline, _ = content.partition(b"\n")
        if not newline:
            raise BadGames(f"line 1: this is no setting of a {self.what}: it has no end")
        return _decode(line, 1, self.setting, f"setting of a {self.what}")

    def games_of(self, content: bytes) -> list[Played]:
        """Return the games in the order of the file; raises `BadGames`, also for a number that comes again."""
        games: dict[int, Played] = {}
        for at, line in enumerate(content.split(b"\n")[1:-1], 2):
            game = _decode(line, at, self.game, f"{self.one} of a {self.what}")
            if game.number in games or game.number < 0:
                raise BadGames(f"line {at}: the {self.one} {game.number} stands there twice, or cannot be")
            games[game.number] = game
        return list(games.values())

    def games_under(self, content: bytes, setting: Setting) -> list[Played]:
        """Return the games of a file of that setting; raises `BadGames` for another setting."""
        if differ := "; ".join(differences(self.setting_of(content), setting)):
            raise BadGames(f"this file holds another {self.what}: {differ}. Name another file, or ask for the same")
        return self.games_of(content)


def differences(there: msgspec.Struct, here: msgspec.Struct, of: str = "") -> Iterator[str]:
    """Yield a sentence for each field in which two settings differ."""
    for name in there.__struct_fields__:
        old, new, label = getattr(there, name), getattr(here, name), f"{of}{name.replace('_', ' ')}"
        if isinstance(old, msgspec.Struct) and isinstance(new, msgspec.Struct):
            yield from differences(old, new, f"{label} ")
        elif name == "players" and len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                yield from differences(one, other, f"{one.name} ")
        elif old != new:
            changed = f"{of.strip() or label} has changed since"
            yield changed if name in DIGESTS else f"{label} is {_shown(old)} there, and {_shown(new)} here"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _decode(line: bytes, at: int, reader: msgspec.json.Decoder[Line], what: str) -> Line:
    try:
        return reader.decode(line)
    except msgspec.DecodeError as error:
        raise BadGames(f"line {at}: this is no {what}: {error}") from None


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
        one that is no such file, is left as it is.
        """
        if self._file is None:
            return []
        self._file.seek(0)
        content = self._file.read()
        if not content:
            self._file.write(line_of(setting))
            return []
        try:
            found = self._format.games_under(content, setting)
        except BadGames as error:
            raise Rejected(f"{self._place}: {error}") from None
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
    if name is None:
        yield GameFile(place, None, format)
        return
    with opened_alone(name, place, format.what) as file:
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
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Rejected(f"{place}: another {what} is writing to it") from None
        yield file
