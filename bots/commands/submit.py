"""The command ``arena-bot submit``: sends a version of a bot to a league, and shows what becomes of it."""

import io
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
        The bot's folder, of which what git would ignore is left out, or its only file, or a zip archive.
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
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for file in _files(path):
            zipped.write(path / file, file)
    return f"{path.resolve().name or 'bot'}.zip", packed.getvalue()


def _files(folder: Path) -> list[str]:
    """Return the files of a folder that git would not ignore, and without git those that are not hidden."""
    with tempfile.TemporaryDirectory() as empty:
        try:
            subprocess.run(("git", "init", "--quiet", "--bare", empty), check=True, capture_output=True)
            listed = subprocess.run(
                ("git", "--git-dir", empty, "--work-tree", ".", "ls-files", "--others", "--exclude-standard", "-z"),
                cwd=folder,
                check=True,
                capture_output=True,
            ).stdout
        except (FileNotFoundError, subprocess.CalledProcessError):
            found = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
            return sorted(
                str(path)
                for path in found
                if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)
            )
    names = sorted(name for name in listed.decode(errors="surrogateescape").split("\0") if name)
    return [name for name in names if (folder / name).is_file() and not name.startswith(".git/")]
