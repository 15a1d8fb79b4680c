"""``arena-bot match`` as a process, whether or not this environment knows the entry points of pyproject.toml yet."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

from tests.forking import Forked
from tests.server.process import wait_until
from tests.waiting import BUILD_SECONDS

ROOT = Path(__file__).parents[4]


def environment(folder: Path) -> dict[str, str]:
    """Return an environment in which the commands of other packages are found as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = project["entry-points"]["arena_bot.commands"]
    info = folder / "arena_commands-1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-commands\nVersion: 1\n")
    lines = ["[arena_bot.commands]", *(f"{name} = {value}" for name, value in found.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    path = f"{folder}{os.pathsep}{ROOT}"
    # what a killed match leaves in the folder for temporary files ends with the test
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(folder), "NUMBA_DISABLE_JIT": "1", "COLUMNS": "200"}


class Match:
    """A running match; it ends with its ``with``."""

    def __init__(self, folder: Path, *words: str) -> None:
        elsewhere = folder / ".entry-points"
        elsewhere.mkdir(exist_ok=True)
        command = [sys.executable, "-P", "-m", "bots", "match", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = Forked(command, cwd=folder, env=environment(elsewhere), **pipes)

    def __enter__(self) -> "Match":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; return its exit status, and what it has said on stdout and stderr."""
        said, complained = self.process.communicate(timeout=BUILD_SECONDS)
        return self.process.returncode, said, complained

    def interrupt(self) -> None:
        """Send Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def wait_for_games(self, file: Path, games: int) -> None:
        """Wait until a file of results has so many games."""

        def has_them() -> bool:
            try:
                with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
                    return bool(connection.execute("SELECT count(*) >= ? FROM games", (games,)).fetchone()[0])
            except sqlite3.Error:
                return False

        wait_until(lambda: self.process.poll() is not None or has_them())


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    """Play a match to its end; return its exit status, and what it has said on stdout and stderr."""
    with Match(folder, *words) as match:
        return match.end()


def row(said: str, name: str) -> list[str]:
    """Return the words of a player's line in the last table."""
    lines = re.findall(rf"^{re.escape(name)} +[0-9].*$", said.partition("\n")[2], re.MULTILINE)
    return str(lines[-1]).split()
