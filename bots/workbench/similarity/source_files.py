"""The source files of each program, from folders and zip files."""

import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from bots.workbench.similarity.tokens import is_source

MAX_FILE_BYTES = 1 << 20
"""A longer source file was not written by hand."""

MAX_PROGRAM_BYTES = 4 << 20
"""Source text of one program that is compared."""

MAX_PROGRAMS = 1000

MAX_ZIP_ENTRIES = 20_000

MAX_ZIP_BYTES = 64 << 20
"""A zip file in a zip file is held in memory."""

UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, RuntimeError, ValueError)
"""What unpacking a zip file raises that is broken, locked with a password, or of a kind that nobody uses."""

FOREIGN = {"__MACOSX", "__pycache__", "build", "dist", "node_modules", "site-packages", "target", "vendor", "venv"}
"""Folders of what was built or fetched; those whose names begin with a dot are left out, too."""


class NoPrograms(ValueError):
    """Nothing that can be compared. ``str(error)`` is a sentence for people."""


@dataclass
class Program:
    """A program that was handed in: its source files by their paths, and what of it is not compared, and why."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    bytes_read: int = 0

    def add(self, path: str, content: bytes) -> None:
        """Add a source file, as long as the program does not become too long."""
        if len(content) > MAX_FILE_BYTES:
            self.left_out.append(f"{path}: longer than {MAX_FILE_BYTES >> 20} MB")
        elif self.bytes_read + len(content) > MAX_PROGRAM_BYTES:
            self.left_out.append(f"{path}: the program has more than {MAX_PROGRAM_BYTES >> 20} MB of source text")
        else:
            self.bytes_read += len(content)
            self.files[path] = content.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def read_programs(places: Sequence[Path]) -> list[Program]:
    """Return programs by name: one for each folder, zip or source file of several; of one, for each that is in it.

    One of several may be written as NAME=PLACE.
    Of the folder in which a league keeps versions of bots it is the newest version of each bot.

    Raises `NoPrograms`, and OSError.
    """
    if len(places) == 1:
        bots = _newest_versions(places[0])
        programs = {name: read_program(folder, name) for name, folder in bots.items()} or _inside(places[0])
    else:
        named = [_named(place) for place in places]
        programs = {name: read_program(place, name) for name, place in named}
        if len(programs) < len(places):
            raise NoPrograms("two of the programs have the same name: put all of them into one folder")
    if len(programs) > MAX_PROGRAMS:
        raise NoPrograms(f"there are {len(programs)} programs, {MAX_PROGRAMS} at most can be compared")
    return [programs[name] for name in sorted(programs)]


def read_program(place: Path, name: str = "") -> Program:
    """Return the program in a folder, a zip file or a single source file; raises `NoPrograms`, and OSError.

    Without a name it has that of its place.
    """
    program = Program(name or place.name)
    for path, content in _files(place, program):
        program.add(path, content)
    return program


def _named(place: Path) -> tuple[str, Path]:
    """Return the name and the place of a program, which may be written as NAME=PLACE."""
    name, equals, rest = str(place).partition("=")
    return (name, Path(rest)) if equals and "/" not in name and not place.exists() else (place.name, place)


def _newest_versions(place: Path) -> dict[str, Path]:
    """Return the folder of each bot's newest version by the bot's name, where a league keeps them in a place.

    It keeps them as BOT/NUMBER/upload, which is what was sent, and BOT/NUMBER/build, where that is unpacked.
    """
    newest: dict[str, tuple[int, Path]] = {}
    for upload in place.glob("*/*/upload"):
        build, number, bot = upload.with_name("build"), upload.parent.name, upload.parent.parent.name
        if number.isdecimal() and upload.is_file() and build.is_dir():
            newest[bot] = max(newest.get(bot, (0, build)), (int(number), build))
    return {bot: build for bot, (_, build) in newest.items()}


def _inside(place: Path) -> dict[str, Program]:
    """Return a program for each entry of a folder or zip file, or of the only folder in it."""
    whole = Program(place.name)
    # everything is read twice, so that not all zip files are held in memory
    parts = [PurePosixPath(path).parts for path, _ in _files(place, Program(place.name), whole_zips=True)]
    top = 0
    while len({path[top] for path in parts if len(path) > top}) == 1 and all(len(path) > top + 1 for path in parts):
        top += 1
    programs: dict[str, Program] = {}
    for path, content in _files(place, whole, whole_zips=True):
        names = PurePosixPath(path).parts[top:]
        program = programs.setdefault(names[0], Program(names[0]))
        inner = "/".join(names[1:]) or names[0]
        if path.lower().endswith(".zip"):
            for unpacked, text in _zipped(io.BytesIO(content), program, prefix="" if len(names) == 1 else inner + "/"):
                program.add(unpacked, text)
        else:
            program.add(inner, content)
    if whole.left_out:
        programs[place.name] = whole
    return programs


def _files(place: Path, program: Program, *, whole_zips: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the source files of a place, in order; with ``whole_zips`` zip files that are in it, too."""
    if place.is_dir():
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if not _is_foreign(name))
            for name in sorted(names):
                file = Path(folder) / name
                path = file.relative_to(place).as_posix()
                zipped = name.lower().endswith(".zip")
                # a link may lead out of what was handed in
                if file.is_symlink() or not (is_source(name) or (whole_zips and zipped)):
                    continue
                if file.stat().st_size > (MAX_ZIP_BYTES if zipped else MAX_FILE_BYTES):
                    program.left_out.append(f"{path}: too long")
                else:
                    yield path, file.read_bytes()
    elif zipfile.is_zipfile(place):
        with place.open("rb") as opened:
            yield from _zipped(opened, program, whole_zips=whole_zips)
    elif is_source(place.name):
        yield place.name, place.read_bytes()
    else:
        raise NoPrograms(f"{place} is no folder, no zip file and no source file")


def _zipped(
    file: io.BufferedIOBase, program: Program, *, prefix: str = "", whole_zips: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yield the source files of a zip file, in order; what cannot be read is noted as left out."""
    try:
        with zipfile.ZipFile(file) as opened:
            entries = opened.infolist()
            if len(entries) > MAX_ZIP_ENTRIES:
                program.left_out.append(f"{prefix or 'the zip file'}: more than {MAX_ZIP_ENTRIES} entries")
            for entry in sorted(entries[:MAX_ZIP_ENTRIES], key=lambda one: one.filename):
                path = PurePosixPath(entry.filename)
                zipped = whole_zips and path.suffix.lower() == ".zip"
                if entry.is_dir() or any(map(_is_foreign, path.parts[:-1])) or not (zipped or is_source(path.name)):
                    continue
                if entry.file_size > (MAX_ZIP_BYTES if zipped else MAX_FILE_BYTES):
                    program.left_out.append(f"{prefix}{path}: too long")
                else:
                    # reading ends at the size that the entry has named, so that nothing swells
                    yield prefix + str(path), opened.read(entry)
    except UNREADABLE as error:
        program.left_out.append(f"{prefix or program.name}: it cannot be unpacked: {error}")


def _is_foreign(folder: str) -> bool:
    return folder.startswith(".") or folder in FOREIGN
