"""Checks the scripts of the pages: ``python -m tests.javascript``, in make lint.

TypeScript's compiler reads their types from JSDoc comments, and Biome looks for mistakes. npm installs both, in the
versions of ``package.json``, once, into the user's cache folder. Without npm or a network, one line says that nothing
is checked.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

HERE = Path(__file__).parent

SCRIPTS = ROOT / "server" / "web" / "assets" / "static"

PACKAGES = HERE / "package.json"
"""The packages that npm installs, in exact versions."""

INSTALL = ("npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")

INSTALL_SECONDS = 120.0
"""Longest that npm may take."""


def main() -> None:
    """Check all scripts, and exit with 1 if one of them is wrong."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    digest = hashlib.sha256(PACKAGES.read_bytes()).hexdigest()
    folder = caches / "gipf-arena" / f"javascript-{digest[:16]}"
    programs = folder / "node_modules" / ".bin"
    if not programs.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGES, folder)
        try:
            subprocess.run(INSTALL, cwd=folder, stdin=subprocess.DEVNULL, check=True, timeout=INSTALL_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"the scripts of the pages are not checked: {error}")
            return
    scripts = sorted(f"{path}" for path in SCRIPTS.rglob("*.js") if path.parent.name != "vendor")
    checks = (
        [programs / "tsc", "--project", HERE],
        [programs / "biome", "lint", "--config-path", HERE, "--error-on-warnings", *scripts],
    )
    statuses = [subprocess.run(list(map(str, check)), cwd=ROOT, check=False).returncode for check in checks]
    sys.exit(any(statuses))


if __name__ == "__main__":
    main()
