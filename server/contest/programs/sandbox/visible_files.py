"""What the program of an entrant sees in its sandbox: what is its own, and nothing of the others or of the server.

That is the `folder` that the contest file gives it. Without one it is what its command names: a file or folder below
the contest file's, with all of a file's folder unless that is the contest file's own, or another entrant names
something else in it; elsewhere the files that are named, and what belongs to a program that is installed for its user.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from server.contest.definition import Definition, Entrant
from server.contest.programs.sandbox.bubblewrap import View


class NotVisible(Exception):
    """A program cannot be shown what it should see. ``str(error)`` says what, and why."""


def view(definition: Definition, entrant: Entrant | None, data: Path) -> View:
    """Return what the program of an entrant sees; that of a built-in bot (None) sees nothing but the server's own code.

    ``data`` is the server's data directory, which nobody sees. Raises `NotVisible`.
    """
    base = _base(definition, data)
    shared = tuple(
        path for place in definition.visible if (path := (base / Path(place).expanduser()).resolve()).exists()
    )
    if entrant is None:
        return View(base, shared)
    if entrant.folder:
        folder = (base / entrant.folder).resolve()
        if not folder.is_dir():
            raise NotVisible(f"the folder of {entrant.name} is not there: {folder}")
        others = [(base / other.folder).resolve() for other in definition.entrants if other.folder]
        own: tuple[Path, ...] = (folder, *_installed(entrant.command, folder))
    else:
        others = []
        folder = base
        own = (*_named(base, definition, entrant), *_installed(entrant.command, base))
    secret = data.resolve()
    # a version of a bot lies there, where the server has put it
    put = [path for path in own if not (entrant.version_of and path.is_relative_to(folder))]
    if any(path.is_relative_to(secret) and base != secret for path in (*put, *shared)) or secret in own:
        raise NotVisible(f"{entrant.name} has its program in the server's data directory {secret}; move one of them")
    hidden = [
        path
        for path in (secret, *others)
        if path.is_dir() and any(path.is_relative_to(mine) and path != mine for mine in (*own, *shared))
    ]
    return View(folder, (*own, *shared), tuple(path for path in hidden if not folder.is_relative_to(path)))


def _base(definition: Definition, data: Path) -> Path:
    """Return the folder that commands are relative to."""
    return Path(definition.folder or data).resolve()


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
    """Return the files and folders that the words of a command name, absolute, with links in folders resolved."""
    for word in command:
        if "\0" not in word and len(word) < 4096:
            path = base / word
            try:
                if path.exists() and word:
                    yield path.parent.resolve() / path.name if path.name not in ("", "..") else path.resolve()
            except OSError:  # a name that is too long for the file system is none
                continue


def _installed(command: tuple[str, ...], folder: Path) -> Iterable[Path]:
    """Return what belongs to a program that stands in the search path, in a folder that not every sandbox shows."""
    found = shutil.which(command[0]) if "/" not in command[0] else str(folder / command[0])
    if found is None:
        return
    real = Path(found).resolve()
    if not real.is_file() or real.parent.name == "shims":  # which look for the program elsewhere, and all their folder
        return
    if Path(found).absolute() != real:  # links lead to it
        yield Path(found).absolute()
    yield real
    prefix = real.parent.parent
    # ~/.nvm/versions/node/v20 belongs to node, but neither ~ nor ~/.local to a program of theirs
    if (
        "/" not in command[0]
        and real.parent.name == "bin"
        and prefix not in (Path("/"), Path.home(), Path.home() / ".local")
        and any((prefix / name).is_dir() for name in ("lib", "lib64", "jmods", "pkg"))
    ):
        yield prefix
