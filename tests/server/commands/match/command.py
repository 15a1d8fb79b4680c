"""``arena-bot match`` as a process."""

import os
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.server.preloaded import start_program
from tests.server.process import wait_until
from tests.waiting import BUILD_SECONDS


class Match:
    """A running match; it ends with its ``with``."""

    def __init__(self, folder: Path, *words: str) -> None:
        temporary = folder / ".tmp"
        temporary.mkdir(exist_ok=True)  # what a killed match leaves there ends with the test
        variables = {**os.environ, "TMPDIR": str(temporary), "NUMBA_DISABLE_JIT": "1", "COLUMNS": "200"}
        self.process = start_program("bots", "match", *words, cwd=folder, env=variables)

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
        wait_until(lambda: self.process.poll() is not None or games_of(file) >= games)


def games_of(file: Path) -> int:
    """Return the number of games in a file of results, 0 if it cannot be read yet."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.Error:
        return 0


def row(said: str, name: str) -> list[str]:
    """Return the words of a player's line in the last table."""
    lines = re.findall(rf"^{re.escape(name)} +[0-9].*$", said.partition("\n")[2], re.MULTILINE)
    return str(lines[-1]).split()
