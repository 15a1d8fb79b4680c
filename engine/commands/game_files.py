"""Opening files of games to append to them, and resuming work that was interrupted."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic

from engine.commands.program import Rejected, say
from engine.commands.usage_errors import reason
from engine.duel.game_file import BadGames, GameFormat, Played, Setting, line_of

try:
    import fcntl
except ImportError:  # not on every system are there such locks
    fcntl = None  # type: ignore[assignment]


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
    try:
        file = Path(name).open("a+b", buffering=0)  # noqa: SIM115  # closed below
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise Rejected(f"{place}: cannot be written: {reason(error)}") from None
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Rejected(f"{place}: another {format.what} is writing to it") from None
        yield GameFile(place, file, format)
