"""The files that the program of an entrant sees in its sandbox.

A program sees its own files, and no files of other entrants or the server. Its own files are the `folder` that the
contest file gives it. Without that key they are the files that its command names: a file or folder below the folder of
the contest file, with all of a file's folder unless that is the folder of the contest file itself, or another entrant
names something else in it. Elsewhere they are the files that are named. A program of the search path brings the files
that belong to it.

Authors control the content of these folders. No link in them is followed here: in the sandbox it leads to a file that
the program sees there.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from server.contest.definition import Definition, Entrant
from server.contest.programs.sandbox.bubblewrap import View, is_shown, own_code


class NotVisible(Exception):
    """A program cannot be shown what it should see. ``str(error)`` says what, and why."""


def view(definition: Definition, entrant: Entrant | None, data: Path) -> View:
    """Return what the program of an entrant sees; that of a built-in bot (None) sees nothing but the server's own code.

    ``data`` is the server's data directory, which nobody sees. Raises `NotVisible`.
    """
    base = Path(definition.folder or data).resolve()
    shared = tuple(
        path for place in definition.visible if (path := (base / Path(place).expanduser()).resolve()).exists()
    )
    if entrant is None:
        return View(base, shared)
    if entrant.folder:
        folder = _lexical(base, entrant.folder)
        if not folder.is_dir():
            raise NotVisible(f"the folder of {entrant.name} is not there: {folder}")
        others = [_lexical(base, other.folder) for other in definition.entrants if other.folder]
        named: tuple[Path, ...] = (folder,)
    else:
        others = []
        folder = base
        named = tuple(_named(base, definition, entrant))
    for path in named:
        if path.resolve() != path:
            raise NotVisible(f"{path} of {entrant.name} is a link, or lies behind one; name the file or folder itself")
    own = (*named, *_installed(entrant.command))
    secret = data.resolve()
    # the server has put a version of a bot there, and gives its folder to no other entrant
    put = bool(entrant.folder) and (bool(entrant.version_of) or base == secret)
    if any(path.is_relative_to(secret) for path in (*own[put:], *shared)) or secret in own:
        raise NotVisible(f"{entrant.name} has its program in the server's data directory {secret}; move one of them")
    hidden = [
        path
        for path in (secret, *others)
        if path.is_dir() and any(path.is_relative_to(mine) and path != mine for mine in (*own, *shared))
    ]
    return View(folder, (*own, *shared), tuple(path for path in hidden if not folder.is_relative_to(path)))


def _named(base: Path, definition: Definition, entrant: Entrant) -> Iterable[Path]:
    """Return the files and folders that the command of an entrant names."""
    foreign = {
        path
        for other in definition.entrants
        if other is not entrant and not other.folder
        for path in _words(base, other.command)
    }
    for path in _words(base, entrant.command):
        if path.is_dir():
            if path.is_relative_to(base) and path != base:
                yield path
        elif (
            path.parent == base
            or not path.is_relative_to(base)
            or any(other.is_relative_to(path.parent) and other != path for other in foreign)
        ):
            yield path
        else:
            yield path.parent


def _words(base: Path, command: Iterable[str]) -> Iterable[Path]:
    """Return the files and folders that the words of a command name, but for those that every sandbox shows."""
    for word in command:
        if word and "\0" not in word and len(word) < 4096:
            path = _lexical(base, word)
            with suppress(OSError):  # a name that is too long for the file system is none
                if path.exists() and not is_shown(path, *own_code()):
                    yield path


def _lexical(base: Path, word: str) -> Path:
    """Return the path that a word names, seen from a folder, without following links."""
    return Path(os.path.normpath(base / word))


def _installed(command: tuple[str, ...]) -> Iterable[Path]:
    """Return what belongs to a program that stands in the search path, in a folder that not every sandbox shows."""
    found = None if "/" in command[0] else shutil.which(command[0])
    if found is None:
        return
    real = Path(found).resolve()
    if Path(found).absolute() != real:  # links lead to it
        yield Path(found).absolute()
    yield real
    prefix = real.parent.parent
    # ~/.nvm/versions/node/v20 belongs to node, but neither ~ nor ~/.local to a program of theirs
    if (
        real.parent.name == "bin"
        and prefix not in (Path("/"), Path.home(), Path.home() / ".local")
        and any((prefix / name).is_dir() for name in ("lib", "lib64", "jmods", "pkg"))
    ):
        yield prefix
