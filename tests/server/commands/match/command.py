"""``arena-bot match`` as a process."""

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.server.process import RunningProgram, wait_until


class Match(RunningProgram):
    """A running match."""

    def __init__(self, folder: Path, *words: str) -> None:
        temporary = folder / ".tmp"
        temporary.mkdir(exist_ok=True)  # what a killed match leaves there ends with the test
        variables = {**os.environ, "TMPDIR": str(temporary), "NUMBA_DISABLE_JIT": "1", "COLUMNS": "200"}
        super().__init__("bots", "match", *words, cwd=folder, env=variables)

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
