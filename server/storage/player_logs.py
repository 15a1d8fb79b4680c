"""Logs of players beside the records: what a program has written on stderr, and who may read it.

``logs/17-alice.txt`` has what alice's program sent by STDERR in match 17. A contest keeps the stderr of programs that
it starts itself (`KeptByContest`). Both are for the author of the player, who proves it by a token, and for the
organiser. On a server without tokens, anybody may take any name. There a session may read only the lines that
were sent under its name.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.match.record import players_of
from engine.wire.ends import REFUSED_LINE
from engine.wire.messages import Code, ProtocolError
from server.config import tokens
from server.config.settings import Settings
from server.ops.logs import log
from server.storage.record_store import RecordStore

KEPT_BYTES = 64 * 1024
"""Stored of each end of what a program writes: at the beginning most programs say what is wrong."""

HEARD_BYTES = 8192
"""Bytes at the end in which last words are searched: the traceback of a Python program fits."""

TOLD_CHARACTERS = 200
"""Characters of the last line that are quoted in a sentence."""

_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>[0-9]+)(, in (?P<function>\S+))?$', re.MULTILINE)
"""A frame of a Python traceback."""

_LIBRARY = re.compile(r"/site-packages/|/lib/python3|^<")
"""In the path of a file that is not the author's own."""


FOLDER = "logs"
"""Part of the data directory."""

SENT_BYTES = 8 * 1024
"""Kept of both ends of what a player sends in a match: some tracebacks; a thousand players fill no memory by it."""

MAX_LINE_CHARACTERS = 2000
"""Longest line of a log that is shown in one piece."""


class BoundedLog:
    """A log file of a head, a tail, and a line about what was left out between them.

    Each line begins with the number of the awaited move, 0 before the first one, and `` | ``.
    The head is written as it comes, the tail when the log is closed. Where nothing is written there is no file. Where
    the file cannot be written, the server's log says so once; `last_words` are known all the same.
    """

    def __init__(self, path: Path, ply: Callable[[], int], kept_bytes: int = KEPT_BYTES) -> None:
        """Take the path of the file, whose folder is created if it is missing, and who knows the move."""
        self._path = path
        self._ply = ply
        self._kept_bytes = kept_bytes
        """Most bytes of the head, and of the tail."""
        self._head = 0  # bytes of the head that are written
        self._tail = bytearray()
        self._all = 0
        self._within_line = False
        self._told = False

    def write(self, data: bytes) -> None:
        """Add bytes."""
        data = self._with_plies(data)
        self._all += len(data)
        if head := data[: self._kept_bytes - self._head]:
            self._append(head)
            self._head += len(head)
        self._tail += data
        if len(self._tail) > 2 * self._kept_bytes:
            del self._tail[: -self._kept_bytes]

    def add_line(self, line: str) -> None:
        """Add a line of the server's own, which is no part of a line of the program."""
        self.write(f"{chr(10) if self._within_line else ''}{line}\n".encode())

    def close(self) -> None:
        """Write the tail, except what the head has."""
        if (rest := self._all - self._head) > 0:
            kept = bytes(self._tail[-min(rest, self._kept_bytes) :])
            left_out = rest - len(kept)
            self._append((f"\n[{left_out} bytes are left out here]\n".encode() if left_out else b"") + kept)
        self._all = self._head

    def last_words(self) -> str:
        """Return the last line as one printable, quoted line; empty if nothing was written.

        For a Python traceback, this is the exception, followed by its line in a file of the author.
        """
        text = without_plies(bytes(self._tail[-HEARD_BYTES:]).decode(errors="backslashreplace"))
        if not (text := REFUSED_LINE.sub("", text).strip()):
            return ""
        line = repr(text.splitlines()[-1].strip()[:TOLD_CHARACTERS])
        frames = list(_FRAME.finditer(text, max(0, text.rfind("Traceback (most recent call last):"))))
        if "Traceback (most recent call last):" not in text or not frames:
            return line
        frame = next((one for one in reversed(frames) if not _LIBRARY.search(one["file"])), frames[-1])
        function = f", in {frame['function']}" if frame["function"] else ""
        place = f"{Path(frame['file']).name}, line {frame['line']}{function}"
        return f"{line} ({place})" if place.isprintable() else line

    def _with_plies(self, data: bytes) -> bytes:
        if not data:
            return data
        mark = b"%d | " % self._ply()
        within, self._within_line = self._within_line, not data.endswith(b"\n")
        lines = data.replace(b"\n", b"\n" + mark)
        if not self._within_line:
            lines = lines[: -len(mark)]
        return lines if within else mark + lines

    def _append(self, data: bytes) -> None:
        try:
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)  # what is in it is not for everybody
            with self._path.open("ab") as file:
                file.write(data)
        except OSError as error:
            if not self._told:  # it may write many times a second
                log.warning("program_stderr_write_failed", path=str(self._path), error=str(error))
            self._told = True


def without_plies(text: str) -> str:
    """Return what was written, without the numbers of moves."""
    return re.sub(r"^[0-9]+ \| ", "", text, flags=re.MULTILINE)


class KeptByContest(NamedTuple):
    """Log and token of a player in a match of a contest."""

    path: Path
    """Path of the log of the program, if the contest has started it."""
    token: str
    """SHA-256 of the entrant's token, in hexadecimal; empty if it has none."""


FindKept = Callable[[int, str], KeptByContest | None]
"""Returns what a contest has of a player, by match and name; None where the match was in no contest. Reads files."""


class LogRequest(NamedTuple):
    """A request for the log of a match."""

    match: int
    token: str = ""
    """Token of the match, of the player, or of the organiser; empty for none."""
    name: str = ""
    """Name of the session; empty if it is not logged in."""
    organiser: bool = False
    """Whether the organiser asks."""


class SentLogs:
    """The logs of what players send in running matches, and after a match before they seek the next one."""

    def __init__(self, data: Path) -> None:
        """Take the data directory."""
        self._data = data
        self._open: dict[tuple[int, str], BoundedLog] = {}
        """By match and name."""

    def add(self, match: int, name: str, ply: Callable[[], int], line: str) -> None:
        """Add a line of a player; ``ply`` tells the number of the move that the match waits for."""
        if (match, name) not in self._open:
            self._open[match, name] = BoundedLog(_path(self._data, match, name), ply, SENT_BYTES)
        self._open[match, name].add_line(line)

    def close(self, match: int, name: str, *, goes_on: bool = False) -> None:
        """Write the log of a player to its end; ``goes_on`` tells whether further lines may follow."""
        if found := self._open.get((match, name)):
            found.close()
        if not goes_on:
            self._open.pop((match, name), None)


def read_log(
    asked: LogRequest,
    store: RecordStore,
    settings: Settings,
    find_kept: FindKept,
    token_of: Callable[[str], str | None],
) -> tuple[str, ...]:
    """Return the lines that who asks may read: the side, the number of the move, ``|`` and the text of each.

    ``token_of`` is `server.arena.arena.Arena.token_of`. Raises `ProtocolError` where there is no such match, or nothing
    of it is for who asks, and OSError. Reads files.
    """
    if (record := store.read(asked.match)) is None:
        raise ProtocolError(Code.UNKNOWN_MATCH, f"there is no record of match {asked.match}")
    keys = store.keys(asked.match)
    organiser = asked.organiser or tokens.fits(settings.organiser, asked.token)
    lines: list[str] = []
    allowed = False
    for number, (side, player) in enumerate(players_of(record)):
        kept = find_kept(asked.match, player)
        needed = token_of(player.lower())
        known = (
            "" if keys is None else keys[number],
            needed or "",
            kept.token if kept else "",
        )
        proven = [tokens.fits(one, asked.token) for one in known]
        named = bool(asked.name) and asked.name.lower() == player.lower()
        is_author = organiser or any(proven) or (named and needed is not None)
        if is_author and kept is not None:
            lines += _lines(side, kept.path)
        if is_author or (named and (kept is None or not (kept.token or kept.path.exists()))):
            allowed = True
            lines += _lines(side, _path(settings.data, asked.match, player))
    if not allowed:
        others = ("", *(player.lower() for _, player in players_of(record)))
        stranger = "" if asked.name.lower() in others else f"{asked.name} did not play match {asked.match}; "
        how = f"LOG {asked.match} TOKEN, with the token of MATCH or LOGIN"
        raise ProtocolError(Code.BAD_TOKEN, f"{stranger}the log of match {asked.match} is for its players: {how}")
    return tuple(lines)


def _path(data: Path, match: int, name: str) -> Path:
    return data / FOLDER / f"{match}-{name}.txt"


def _lines(side: str, path: Path) -> Iterator[str]:
    """Return the lines of a log as they are shown; none where there is no file. Raises OSError."""
    try:
        return shown_lines(side, path.read_bytes())
    except FileNotFoundError:
        return iter(())


def shown_lines(side: str, data: bytes) -> Iterator[str]:
    """Yield the lines of a log as they are shown, whatever a program has written."""
    ply = "0"
    for line in data.decode(errors="replace").removesuffix("\n").split("\n"):
        if (found := re.match(r"([0-9]+) \| ?", line)) is not None:
            ply, line = found[1], line[found.end() :]
        line = "".join(one if one.isprintable() else "\ufffd" for one in line.removesuffix("\r").expandtabs())
        begins = range(0, len(line) or 1, MAX_LINE_CHARACTERS)
        yield from (f"{side} {ply} | {line[begin : begin + MAX_LINE_CHARACTERS]}".rstrip() for begin in begins)
