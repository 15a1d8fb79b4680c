"""The command ``arena-bot submit``: sends a version of a bot to a league, and shows what becomes of it."""

import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bots.commands.league_requests import Entry, League
from bots.commands.options import Flag, fail

LOOK_SECONDS = 1.0
"""How often to ask how far the version has come."""


def submit(
    path: Path,
    *,
    entry: Entry,
    detach: Flag = False,
) -> None:
    """Send a version of a bot to a league, and show how it is built and tried.

    The exit status is 0 where it has passed and plays from now on, 1 where it was refused or could not be sent.

    Parameters
    ----------
    path
        The bot's folder, of which what git ignores is left out, also by the lists of the repository that it is in, or
        its only file, or a zip archive.
    detach
        Send it, and do not wait for what becomes of it.
    """
    league = League(entry)
    try:
        file, data = _packed(path)
    except OSError as error:
        fail(f"{error.filename or path}: {error.strerror}", 1)
    league.ask("versions")  # whoever may not send learns it here: in the middle of a large file nobody would read it
    told = league.ask(f"versions?file={quote(file)}", data)
    print(f"version {told['version']} of {told['bot']}: {len(data)} bytes sent; {league.url}{told['page']}")
    print(f"SHA-256 {told['sha256']}", flush=True)
    log, state = "", ""
    while not detach:
        log, state = _show(told, log, state)
        if not told["is_under_way"]:
            sys.exit(0 if told["state"] == "active" else 1)
        time.sleep(LOOK_SECONDS)
        told = league.ask(f"versions/{told['version']}")


def _show(told: dict[str, Any], log: str, state: str) -> tuple[str, str]:
    """Print what is new since last time; return the log and the state."""
    if told["log"].startswith(log):
        sys.stdout.write(told["log"][len(log) :])
    said = told["state"]
    if told["ahead"] is not None:
        said += f"; {told['ahead']} to be tried before it"
    if told["minutes"] is not None:
        said += f", for about {told['minutes']} min"
    if said != state:
        print(f"-- {said}{': ' if told['sentence'] else ''}{told['sentence']}")
    sys.stdout.flush()
    return told["log"], said


def _packed(path: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of what is sent. Raises OSError."""
    if not path.is_dir():
        return path.name, path.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for file in _files(path):
            try:
                zipped.write(path / file, file)
            except UnicodeEncodeError:
                fail(f"{file!r}: the name of this file is no UTF-8; give it another one", 1)
    return f"{path.resolve().name or 'bot'}.zip", packed.getvalue()


def _files(folder: Path) -> list[str]:
    """Return the files of a folder that git would not ignore, and without git those that are not hidden."""
    try:
        listed = _listed(folder, "--cached") or _listed_alone(folder)
    except (FileNotFoundError, subprocess.CalledProcessError):
        found = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        return sorted(
            str(path) for path in found if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)
        )
    return sorted(name for name in listed if (folder / name).is_file() and not name.startswith(".git/"))


def _listed(folder: Path, *options: str, repository: tuple[str, ...] = ()) -> set[str]:
    """Return what a repository does not ignore, that which the folder is in unless another is told; nothing if none."""
    command = ("git", *repository, "ls-files", *options, "--others", "--exclude-standard", "-z")
    done = subprocess.run(command, cwd=folder, env=_environment(), check=bool(repository), capture_output=True)
    return {name for name in os.fsdecode(done.stdout).split("\0") if name}


def _listed_alone(folder: Path) -> set[str]:
    """Return what git would not ignore were the folder a repository: it is in none, or in one that ignores it whole."""
    with tempfile.TemporaryDirectory() as empty:
        command = ("git", "init", "--quiet", "--bare", empty)
        subprocess.run(command, env=_environment(), check=True, capture_output=True)
        return _listed(folder, repository=("--git-dir", empty, "--work-tree", "."))


def _environment() -> dict[str, str]:
    """Return the environment without what git tells its hooks: which repository and index they are about."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
