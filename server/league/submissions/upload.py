"""An upload: its files are unpacked within bounds, and say how the bot is built and started.

An upload is checked before its first file is written. The bounds hold for the unpacked data, not for the sizes that the
archive states. A ``Makefile`` builds anything, by ``make``. Without it each language is built as the examples are. A
file ``command`` holds the command that starts the bot. Without it the bot is started as the bots of ``arena-bot new``.
"""

import io
import os
import stat
import sys
import zipfile
from pathlib import Path, PurePosixPath

from engine.commands.program import split_command

MEGABYTE = 1 << 20

MAX_UPLOAD = 16 * MEGABYTE
"""Bytes of an upload."""

MAX_BYTES = 64 * MEGABYTE
"""Bytes of all files of an upload, unpacked."""

MAX_FILES = 500

MAX_DEPTH = 12
"""Parts of a path: a file in 11 folders."""

MAX_NAME = 200
"""Bytes of a path within the upload; file systems take 255 of a name."""

LEFT_OUT = {"__MACOSX", ".git", ".DS_Store", "__pycache__"}
"""Files and folders that packing programs add, and no bot needs."""


class BadUpload(Exception):
    """An upload or a version is refused; ``str(error)`` names the fault, and the right way."""


def unpack(data: bytes, name: str, folder: Path) -> None:
    """Write the files of an upload into an empty folder. Raises `BadUpload` and OSError.

    ``name`` is the name of the uploaded file. Folders around all files of an archive are left out.
    """
    if len(data) > MAX_UPLOAD:
        raise BadUpload(f"an upload has at most {MAX_UPLOAD // MEGABYTE} MB, and this one {len(data) / MEGABYTE:.1f}")
    if not data:
        raise BadUpload("the upload is empty; send a zip archive of the bot's folder, or its only file")
    if zipfile.is_zipfile(io.BytesIO(data)):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as zipped:
                _unpack(zipped, folder)
        except Exception as error:  # a damaged archive raises any kind, and bz2 an OSError without a number
            if isinstance(error, BadUpload) or getattr(error, "errno", None):
                raise
            raise BadUpload(f"the archive cannot be read: {str(error) or type(error).__name__}") from None
    elif name.lower().endswith((".zip", ".gz", ".xz", ".7z", ".rar", ".tar", ".tgz")):
        raise BadUpload(f"{name} is no zip archive; pack the bot's folder as one, or send its only file")
    else:
        last = PurePosixPath(name.replace("\\", "/")).name
        if not last.isprintable() or len(last.encode()) > MAX_NAME or not last or last.startswith("."):
            raise BadUpload(f"a file has a name as bot.py has; not {name[:MAX_NAME]!r}")
        _write(folder / last, data)


def _unpack(zipped: zipfile.ZipFile, folder: Path) -> None:
    members = [(member, _path_of(member)) for member in zipped.infolist() if not member.is_dir()]
    if not (members := [(member, path) for member, path in members if LEFT_OUT.isdisjoint(path.parts)]):
        raise BadUpload("the archive has no files")
    if len(members) > MAX_FILES:
        raise BadUpload(f"an upload has at most {MAX_FILES} files, this one {len(members)}; leave out what is built")
    outer = PurePosixPath(os.path.commonpath([path.parent for _, path in members]))
    left = MAX_BYTES
    for member, path in members:
        with zipped.open(member) as file:
            data = file.read(left + 1)
        left -= len(data)
        if left < 0:
            raise BadUpload(f"the files of an upload have at most {MAX_BYTES // MEGABYTE} MB together")
        _write(folder / path.relative_to(outer), data, runs=bool(member.external_attr >> 16 & stat.S_IXUSR))


def _path_of(member: zipfile.ZipInfo) -> PurePosixPath:
    name = member.filename
    path = PurePosixPath(name)
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise BadUpload(f"{name!r} in the archive is a link or a device; put the file itself there")
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
        raise BadUpload(f"{name!r} in the archive does not lie in its folder")
    if not member.orig_filename.isprintable() or len(name.encode()) > MAX_NAME or len(path.parts) > MAX_DEPTH:
        raise BadUpload(
            f"the path {member.orig_filename[:MAX_NAME]!r} in the archive is too long, or not printable; it has at "
            f"most {MAX_NAME} bytes and {MAX_DEPTH - 1} folders"
        )
    return path


def _write(place: Path, data: bytes, *, runs: bool = False) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise BadUpload(f"the archive has {place.name!r} as a file and as a folder") from None
    place.chmod(0o755 if runs or data.startswith(b"#!") else 0o644)


COMMAND = "command"
"""The file that holds the command that starts a bot."""

MAX_COMMAND = 4096
"""Characters of a command: the system bounds the arguments of a program."""

ARGUMENTS = ("{host}", "{port}", "{name}", "{game}")
"""Arguments of a program that does not read its environment."""

PYTHON = ("python3", "python")
"""Names of the server's own Python, which has the client library."""

BUILDS: tuple[tuple[str, tuple[str, ...]], ...] = (
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
    ("bot.js", ("node", "bot.js", *ARGUMENTS)),
    ("Bot.class", ("java", "-cp", ".", "Bot", *ARGUMENTS)),
    ("target/release/bot", ("target/release/bot", *ARGUMENTS)),
    ("bot", ("./bot", *ARGUMENTS)),
)
"""Files of a built bot, and the commands that start it. The first entry with a file in the folder is used."""


def build_command(folder: Path) -> tuple[str, ...]:
    """Return the command that builds the bot in a folder; empty if there is nothing to build."""
    return next((build for source, build in BUILDS if (folder / source).is_file()), ())


def start_command(folder: Path) -> tuple[str, ...]:
    """Return the command that starts a bot in the folder of its build. Raises `BadUpload`."""
    for product, start in STARTS:
        if os.path.lexists(folder / product) and not os.path.isdir(folder / product):  # a link may be broken out here
            return start
    scripts = [path.name for path in folder.glob("*.py") if path.name.isprintable() and not path.match("test_*.py")]
    if len(scripts) == 1:
        return "python3", scripts[0]
    raise BadUpload(
        f"it is not clear how the bot is started: name its program bot.py, bot.js, Bot.java or bot, or write the "
        f"command into a file {COMMAND}, as in: python3 src/main.py"
    )


def written_command(folder: Path) -> tuple[str, ...]:
    """Return the start command in the file `COMMAND`; empty if there is no such file. Raises `BadUpload`."""
    file = folder / COMMAND
    if not file.is_file() or os.access(file, os.X_OK):
        return ()
    try:
        words = tuple(split_command(file.read_text(encoding="utf-8-sig").strip(), folder))
    except ValueError as error:
        raise BadUpload(f"the file {COMMAND} cannot be read: {error}") from None
    if not words or not (text := "".join(words)).isprintable() or len(text) > MAX_COMMAND:
        raise BadUpload(
            f"the file {COMMAND} holds the command that starts the bot, as in: python3 bot.py; it has at most "
            f"{MAX_COMMAND} printable characters"
        )
    return words


def runnable(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return a start command with the server's own Python, which has the client library, in place of ``python3``."""
    return (sys.executable, *command[1:]) if command[0] in PYTHON else command
