"""An upload: its files are unpacked within bounds, and tell how the bot is built and started.

An upload is looked at before anything is written. The bounds hold for what is in the archive, as it is unpacked, and
not for what its directory says. A ``Makefile`` builds whatever it wants, by ``make``; without one each language is
built as the examples are. A file ``command`` says in one line how the bot is started; without one it is started as
those that ``arena-bot new`` makes are.
"""

import io
import os
import shlex
import stat
import sys
import unicodedata
import zipfile
import zlib
from pathlib import Path, PurePosixPath

MEGABYTE = 1 << 20

MAX_UPLOAD = 16 * MEGABYTE
"""Bytes of an upload."""

MAX_BYTES = 64 * MEGABYTE
"""Bytes of all files of an upload, unpacked."""

MAX_FILES = 500

MAX_DEPTH = 12
"""Folders within each other."""

MAX_NAME = 200
"""Bytes of a path within the upload; file systems take 255 of a name."""

LEFT_OUT = ("__MACOSX", ".git", ".DS_Store", "__pycache__")
"""Names that programs which pack add by themselves, and that no bot needs."""

READ_BYTES = 1 << 16


class BadUpload(Exception):
    """An upload or a version is refused; ``str(error)`` names the fault, and the right way."""


def unpack(data: bytes, name: str, folder: Path) -> None:
    """Write the files of an upload into an empty folder. Raises `BadUpload` and OSError.

    ``name`` is that of the uploaded file. A folder that all files of an archive lie in is left out.
    """
    if len(data) > MAX_UPLOAD:
        raise BadUpload(f"an upload has at most {MAX_UPLOAD // MEGABYTE} MB, and this one {len(data) / MEGABYTE:.1f}")
    if not data:
        raise BadUpload("the upload is empty; send a zip archive of the bot's folder, or its only file")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        if name.lower().endswith((".zip", ".gz", ".xz", ".7z", ".rar", ".tar", ".tgz")):
            raise BadUpload(f"{name} is no zip archive; pack the bot's folder as one, or send its only file")
        _write(folder / _file_name(name), data)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            _unpack(zipped, folder)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, UnicodeError) as error:
        raise BadUpload(f"the archive cannot be read: {str(error) or type(error).__name__}") from None


def _unpack(zipped: zipfile.ZipFile, folder: Path) -> None:
    members = [(member, _path_of(member)) for member in zipped.infolist() if not member.is_dir()]
    members = [(member, path) for member, path in members if not set(LEFT_OUT) & set(path.parts)]
    if not members:
        raise BadUpload("the archive has no files")
    if len(members) > MAX_FILES:
        raise BadUpload(f"an upload has at most {MAX_FILES} files, this one {len(members)}; leave out what is built")
    outer = _common_folder([path for _, path in members])
    seen: dict[str, PurePosixPath] = {}
    left = MAX_BYTES
    for member, path in members:
        inner = PurePosixPath(*path.parts[outer:])
        for one in (inner, *inner.parents):
            before = seen.setdefault(_folded(one), one)
            if before != one or (one is inner and before is not inner):
                raise BadUpload(f"the archive has {before} and {one}")
        left -= _extract(zipped, member, folder.joinpath(*inner.parts), left)


def _folded(path: PurePosixPath) -> str:
    """Return what two paths have in common that some systems take for one: neither case nor composed letters count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", str(path)).casefold())


def _extract(zipped: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path, most: int) -> int:
    data = bytearray()
    with zipped.open(member) as file:
        while piece := file.read(READ_BYTES):
            data += piece
            if len(data) > most:
                raise BadUpload(f"the files of an upload have at most {MAX_BYTES // MEGABYTE} MB together")
    _write(place, data, runs=bool(member.external_attr >> 16 & stat.S_IXUSR))
    return len(data)


def _path_of(member: zipfile.ZipInfo) -> PurePosixPath:
    name = member.filename
    path = PurePosixPath(name)
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise BadUpload(f"{name!r} in the archive is a link or a device; put the file itself there")
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise BadUpload(f"{name!r} in the archive does not lie in its folder")
    if not member.orig_filename.isprintable() or len(name.encode()) > MAX_NAME or len(path.parts) > MAX_DEPTH:
        raise BadUpload(
            f"the path {member.orig_filename[:MAX_NAME]!r} in the archive is too long, or not printable; it has at "
            f"most {MAX_NAME} bytes and {MAX_DEPTH - 1} folders"
        )
    return path


def _common_folder(paths: list[PurePosixPath]) -> int:
    """Return in how many folders, one in the other, all files lie."""
    outer = 0
    while all(len(path.parts) > outer + 1 for path in paths) and len({path.parts[outer] for path in paths}) == 1:
        outer += 1
    return outer


def _file_name(name: str) -> str:
    last = PurePosixPath(name.replace("\\", "/")).name
    if not last.isprintable() or len(last.encode()) > MAX_NAME or not last or last.startswith("."):
        raise BadUpload(f"a file has a name as bot.py has; not {name[:MAX_NAME]!r}")
    return last


def _write(place: Path, data: bytes | bytearray, *, runs: bool = False) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise BadUpload(f"the archive has {place.name!r} as a file and as a folder") from None
    place.chmod(0o755 if runs or data.startswith(b"#!") else 0o644)


COMMAND = "command"
"""The file that says how a bot is started."""

MAX_COMMAND = 1000
"""Characters of it."""

TOLD = ("{host}", "{port}", "{name}", "{game}")
"""What a program that does not look into its environment is told."""


PYTHON = ("python3", "python")
"""What stands for the server's own Python, which has the client library."""


LANGUAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Makefile", ("make",)),
    ("makefile", ("make",)),
    ("Cargo.toml", ("cargo", "build", "--release", "--offline", "--quiet")),
    ("go.mod", ("go", "build", "-o", "bot", ".")),
    ("bot.go", ("go", "build", "-o", "bot", "bot.go")),
    ("bot.cpp", ("c++", "-std=c++17", "-O2", "-o", "bot", "bot.cpp")),
    ("bot.c", ("cc", "-O2", "-o", "bot", "bot.c")),
    ("bot.rs", ("rustc", "-O", "-o", "bot", "bot.rs")),
    ("Bot.java", ("javac", "Bot.java")),
)
"""Files of a folder, and the commands that build a bot there. The first entry with a file in the folder is used."""

STARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bot.py", ("python3", "bot.py")),
    ("bot.js", ("node", "bot.js", *TOLD)),
    ("Bot.class", ("java", "-cp", ".", "Bot", *TOLD)),
    ("target/release/bot", ("target/release/bot", *TOLD)),
    ("bot", ("./bot", *TOLD)),
)
"""How a bot is started that has, once it is built, a certain file; the first holds."""


def build_command(folder: Path) -> tuple[str, ...]:
    """Return the command that builds the bot in a folder; empty if nothing is to be built."""
    for source, build in LANGUAGES:
        if (folder / source).is_file():
            return build
    return ()


def start_command(folder: Path) -> tuple[str, ...]:
    """Return the command that starts a bot from the folder of its build, if its author has not written one down.

    Raises `BadUpload`.
    """
    for product, start in STARTS:
        if os.path.lexists(folder / product) and not os.path.isdir(folder / product):  # a link may lead nowhere here
            return start
    scripts = [path.name for path in folder.glob("*.py") if path.name.isprintable() and not path.match("test_*.py")]
    if len(scripts) == 1:
        return "python3", scripts[0]
    raise BadUpload(
        f"it is not clear how the bot is started: name its program bot.py, bot.js, Bot.java or bot, or write the "
        f"command into a file {COMMAND}, as in: python3 src/main.py"
    )


def written_command(folder: Path) -> tuple[str, ...]:
    """Return the author's own command that starts the bot; nothing if there is no such file. Raises `BadUpload`."""
    file = folder / COMMAND
    if not file.is_file() or os.access(file, os.X_OK):
        return ()
    try:
        text = file.read_text(encoding="utf-8-sig").strip()
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BadUpload(f"the file {COMMAND} cannot be read: {error}") from None
    if not words or "\n" in text or len(text) > MAX_COMMAND:
        raise BadUpload(
            f"the file {COMMAND} holds one line with the command that starts the bot, as in: python3 bot.py"
        )
    return words


def runnable(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that starts a bot on this machine: Python is the server's own, with the client library."""
    return (sys.executable, *command[1:]) if command[0] in PYTHON else command
