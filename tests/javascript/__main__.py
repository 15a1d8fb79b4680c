"""Checks the scripts of the pages: ``python -m tests.javascript``, in make lint.

TypeScript's compiler reads their types from JSDoc comments, and Biome looks for mistakes; accessibility of the pages is
for axe-core, in a browser. Both come from npm, in the versions of ``package.json``, once, into the user's cache
folder. Where there is no node, or no network, nothing is checked, and one line says so.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

HERE = Path(__file__).parent

SCRIPTS = ROOT / "server" / "web" / "assets" / "static"

PACKAGES = HERE / "package.json"
"""Says what npm installs, in exact versions; what these need beside is named by exact versions too."""

INSTALL_SECONDS = 120.0
"""Longest that npm may take."""


class NotInstalled(Exception):
    """The programs that check scripts are not there; ``str(error)`` says why."""


def main() -> None:
    """Check all scripts, say what is wrong, and exit with 1 where anything is."""
    try:
        programs = installed(cache_folder())
    except NotInstalled as error:
        print(f"the scripts of the pages are not checked: {error}")
        return
    scripts = sorted(f"{path}" for path in SCRIPTS.rglob("*.js") if path.parent.name != "vendor")
    checks = (
        [programs / "tsc", "--project", HERE],
        [programs / "biome", "lint", "--config-path", HERE, "--error-on-warnings", *scripts],
    )
    # both are run, so that all is said at once
    statuses = [subprocess.run(list(map(str, check)), cwd=ROOT, check=False).returncode for check in checks]
    sys.exit(any(statuses))


def cache_folder() -> Path:
    """Return the folder for these versions, which is there when they are installed."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    digest = hashlib.sha256(PACKAGES.read_bytes()).hexdigest()
    return caches / "gipf-arena" / f"javascript-{digest[:16]}"


def installed(folder: Path) -> Path:
    """Return the folder of the programs, installed where they are not yet; raises `NotInstalled`."""
    if shutil.which("node") is None:
        raise NotInstalled("there is no node on this machine")
    programs = folder / "node_modules" / ".bin"
    if programs.is_dir():
        return programs
    if shutil.which("npm") is None:
        raise NotInstalled("there is no npm on this machine")
    try:
        _install(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"npm cannot install what checks them ({error})") from None
    return programs


def _install(folder: Path) -> None:
    """Let npm install into a folder, which is there whole or not at all: several may do so at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="installing-") as place:
        shutil.copy(PACKAGES, place)
        command = [
            "npm",
            "install",
            "--no-package-lock",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        done = subprocess.run(
            command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_SECONDS
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error" in line.lower()]
            raise OSError(" ".join(" ".join(said).split())[:200] or f"status {done.returncode}")
        whole = Path(place) / "node_modules"
        made = Path(place) / "made"
        made.mkdir()
        whole.rename(made / "node_modules")
        try:
            made.rename(folder)
        except OSError:
            if not (folder / "node_modules").is_dir():  # another one was faster
                raise


if __name__ == "__main__":
    main()
